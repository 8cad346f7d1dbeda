// Buttons that copy a text of the page to the clipboard; without scripts they are hidden.

import { gettext } from "./language.js";
import { announce } from "./page.js";

const SHOWN_MS = 3000;

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // Without TLS there is no clipboard API: select the text, ready for Ctrl+C.
    getSelection().selectAllChildren(source);
    announce(gettext("Press Ctrl and C to copy."));
    return;
  }
  const said = button.textContent;
  button.textContent = gettext("Copied");
  announce(gettext("Copied."));
  setTimeout(() => (button.textContent = said), SHOWN_MS);
}
