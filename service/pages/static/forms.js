// Forms of a game that are sent without loading the page.

import { confirmed } from "./ask.js";
import { gettext } from "./language.js";
import { announce, freshKey, position, show } from "./page.js";

const TYPED = "input:not([type=hidden])";
const NO_ANSWER = gettext("no answer; try again");
const connection = () => document.getElementById("connection");
const underWay = new WeakSet();
const sent = new WeakMap();

/** Have the forms of the page's game sent by scripts, and what cannot be undone asked for first. */
export function sendForms() {
  document.addEventListener("submit", submitted);
  document.addEventListener("click", questioned);
}

/** A click that would send a form with a question, or open it: the question is asked in a dialog. */
async function questioned(event) {
  const opener = event.target.closest?.(".confirm > summary, form[data-ask] button");
  const form = opener?.closest("form") ?? opener?.parentElement.querySelector("form[data-ask]");
  if (!form) return;
  event.preventDefault();
  if (!(await confirmed(form.dataset.ask, form.querySelector("button").textContent, event))) return;
  // The page may have been shown anew meanwhile, without the form or with another like it.
  successorOf(form)?.requestSubmit();
}

/** Whether the answer to this form is still to come. */
const isUnderWay = (form) => underWay.has(form);

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
    if (connection().textContent === NO_ANSWER) connection().textContent = "";
    show(await answer.text(), true);
    announce(document.querySelector("#problem .problem")?.textContent.trim() ?? position().dataset.said);
  } catch {
    // Nothing came back: whether it was carried out is unknown, unless the game has gone on. The same
    // form, with its key, asks again.
    if (newestPly() === plies) putBack();
    announce(gettext("No answer. Try again."));
    connection().textContent = NO_ANSWER;
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
  // What is sent counts as typed no longer.
  for (const area of form.querySelectorAll("textarea")) area.defaultValue = area.value;
  const putBack = () => {
    const own = successorOf(form)?.querySelector(TYPED);
    if (own && !own.value) own.value = text;
  };
  return { body, putBack };
}

/** The form on the page that does what this one did; itself where it is still there. */
const successorOf = (form) => [...document.forms].find((one) => purpose(one) === purpose(form));
const newestPly = () => document.getElementById("state").dataset.plies;
const purpose = (form) => [form.getAttribute("action"), form.elements.type?.value, form.elements.side?.value].join(" ");
