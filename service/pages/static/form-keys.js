// Renews the idempotency keys of a page to which the reader has come back: its forms may have been sent, and what is
// sent from it now is a new request.

import { freshKey } from "./page.js";

function renewKeys() {
  for (const field of document.querySelectorAll('input[name="key"]')) field.value = freshKey();
}

/** Whether the browser loaded the page for its button to go back or forward: it may then take the page from its cache. */
const isFromHistory = () => performance.getEntriesByType("navigation")[0]?.type === "back_forward";

/** Renew the keys whenever the reader comes back to the page; browsers keep some pages whole, with their scripts. */
export function renewKeysOnReturn() {
  if (isFromHistory()) renewKeys();
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) renewKeys();
  });
}
