// Sends the forms of a game without reloading the page.

import { confirmed } from "./ask.js";
import { gettext } from "./language.js";
import { announce, freshKey, position, show } from "./page.js";
import { refusalIn } from "./refusal.js";

const TYPED = "input:not([type=hidden])";
const NO_ANSWER = gettext("no answer; try again");
const connection = () => document.getElementById("connection");
const underWay = new WeakSet();
const sent = new WeakMap();

/** Send the forms of the page's game by script, after confirmation for what cannot be undone. */
export function sendForms() {
  document.addEventListener("submit", submitted);
  document.addEventListener("click", questioned);
}

/** A click would send or open a form that has a question: ask it in a dialog. */
async function questioned(event) {
  const opener = event.target.closest?.(".confirm > summary, form[data-ask] button");
  const form = opener?.closest("form") ?? opener?.parentElement.querySelector("form[data-ask]");
  if (!form) return;
  event.preventDefault();
  const sure = await confirmed(form.dataset.ask, form.querySelector("button").textContent, event);
  // The page may have been refreshed meanwhile, without the form or with another like it.
  const successor = successorOf(form);
  if (document.activeElement === document.body) (successor ? openerOf(successor) : document.getElementById("main")).focus({ preventScroll: true });
  if (sure) successor?.requestSubmit();
}

/** What opens a form's question. */
const openerOf = (form) => form.closest(".confirm")?.querySelector("summary") ?? form.querySelector("button");

/** Whether this form has been sent and not answered. */
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
    // Not `form.action`: a field of that name would hide it.
    const answer = await fetch(form.getAttribute("action"), { method: "POST", headers: { Accept: "text/html" }, body });
    if (connection().textContent === NO_ANSWER) connection().textContent = "";
    const html = await answer.text();
    show(html, true);
    if (!answer.ok) putBack();
    // A refusal may come without the game, as that of a session which has ended, or from a proxy.
    const refused = answer.ok ? null : refusalIn(html, answer.status);
    if (refused) document.getElementById("problem").replaceChildren(refused);
    announce(refused?.textContent.trim() ?? position().dataset.said);
  } catch {
    // No answer: unless the game has gone on, it is unknown whether the command was carried out. The same
    // form repeats it under the same key.
    if (newestPly() === plies) putBack();
    announce(gettext("No answer. Try again."));
    connection().textContent = NO_ANSWER;
  } finally {
    wait(form, false);
  }
}

/** Mark a form as waiting for its answer, or not; its button keeps the focus. */
function wait(form, waits) {
  if (waits) underWay.add(form);
  else underWay.delete(form);
  for (const button of form.querySelectorAll("button")) button.ariaDisabled = waits ? "true" : null;
}

/**
 * The body of a form, whose field is cleared for the next input. `putBack` restores the text, in the field
 * or in that of the form's successor, unless something has been typed since; all of it counts as typed again.
 */
function takenFrom(form) {
  const field = form.querySelector(TYPED);
  const text = field?.value ?? "";
  // A key identifies one request: the same text sent again is the same request, other text is a new one.
  if (sent.has(form) && sent.get(form) !== text) form.elements.key.value = freshKey();
  sent.set(form, text);
  const body = new URLSearchParams(new FormData(form));
  if (field) field.value = "";
  // Text that has been sent no longer counts as typed, unless it is put back.
  const areas = [...form.querySelectorAll("textarea")].map(({ name, defaultValue }) => ({ name, defaultValue }));
  for (const area of form.querySelectorAll("textarea")) area.defaultValue = area.value;
  const putBack = () => {
    const successor = successorOf(form);
    const own = successor?.querySelector(TYPED);
    if (own && !own.value) own.value = text;
    for (const { name, defaultValue } of successor ? areas : []) {
      const area = successor.elements[name];
      if (area) Object.assign(area, { value: area.value, defaultValue });
    }
  };
  return { body, putBack };
}

/** The form on the page with the same purpose: this one, if it is still there. */
const successorOf = (form) => [...document.forms].find((one) => purpose(one) === purpose(form));
const newestPly = () => document.getElementById("state").dataset.plies;
const purpose = (form) => [form.getAttribute("action"), form.elements.type?.value, form.elements.side?.value].join(" ");
