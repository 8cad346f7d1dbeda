// Forms of a game that are sent without loading the page.

import { announce, freshKey, position, show } from "./page.js";

const TYPED = "input:not([type=hidden])";
const underWay = new WeakSet();
const sent = new WeakMap();

/** Have the forms of the page's game sent by scripts. */
export function sendForms() {
  document.addEventListener("submit", submitted);
}

/** Whether the answer to this form is still to come. */
export const isUnderWay = (form) => underWay.has(form);

async function submitted(event) {
  const form = event.target;
  const own = form.getAttribute("method") === "post" && form.closest("#game[data-id]");
  if (!own || "whole" in form.dataset || event.defaultPrevented) return;
  event.preventDefault();
  if (isUnderWay(form)) return;
  wait(form, true);
  const plies = newestPly();
  const { body, putBack } = takenFrom(form);
  try {
    // A field may be called `action`, which hides the form's own.
    const answer = await fetch(form.getAttribute("action"), { method: "POST", headers: { Accept: "text/html" }, body });
    if (!answer.ok) putBack();
    show(await answer.text(), true);
    announce(document.querySelector("#problem .problem")?.textContent.trim() ?? position().dataset.said);
  } catch {
    // Nothing came back: whether it was carried out is unknown, unless the game has gone on. The same
    // form, with its key, asks again.
    if (newestPly() === plies) putBack();
    announce("No answer. Try again.");
    document.getElementById("connection").textContent = "no answer; try again";
  } finally {
    wait(form, false);
  }
}

/** Have a form wait for its answer, or no longer; its button keeps the focus. */
function wait(form, waits) {
  if (waits) underWay.add(form);
  else underWay.delete(form);
  for (const button of form.querySelectorAll("button")) button.ariaDisabled = waits ? "true" : null;
}

/**
 * What a form sends, taken out of it: its field is free for what is typed next. `putBack` puts the
 * text back into the field, or its successor's, where nothing was typed since.
 */
function takenFrom(form) {
  const field = form.querySelector(TYPED);
  const text = field?.value ?? "";
  // A key stands for one request: the same text sent again is that request, another is another.
  if (sent.has(form) && sent.get(form) !== text) form.elements.key.value = freshKey();
  sent.set(form, text);
  const body = new URLSearchParams(new FormData(form));
  if (field) field.value = "";
  const putBack = () => {
    const own = [...document.forms].find((one) => purpose(one) === purpose(form))?.querySelector(TYPED);
    if (own && !own.value) own.value = text;
  };
  return { body, putBack };
}

const newestPly = () => document.getElementById("state").dataset.plies;
const purpose = (form) => [form.getAttribute("action"), form.elements.type?.value, form.elements.side?.value].join(" ");
