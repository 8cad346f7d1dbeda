// Questions to the reader: which of several actions is meant, and whether to go on with what cannot be undone.
// A question never opens under the pointer, so a second click cannot answer it by accident.

import { gettext } from "./language.js";

const GAP = 8;

/**
 * Ask a question with these options (`value`, `label`, optionally `look`); resolves to the value chosen, or an
 * empty string. `at` is the click that led here, or `{beside}`, a rectangle of the screen to open next to. In a
 * `grave` question the refusal has the focus.
 */
export function ask(question, options, at, grave = false) {
  const dialog = document.createElement("dialog");
  dialog.id = "chooser";
  dialog.setAttribute("aria-labelledby", "chooser-title");
  const title = element("h2", question);
  title.id = "chooser-title";
  const list = element("div");
  list.className = "options";
  list.append(...options.map((one) => button(one.value, one.label, one.look ?? "")));
  const none = button("", grave ? gettext("No, go back") : gettext("None"), "second");
  none.autofocus = grave;
  const form = element("form");
  form.method = "dialog";
  form.append(title, list, none);
  dialog.append(form);
  document.body.append(dialog);
  // A click made with a key has no position on the screen.
  if (at?.detail || at?.pointerType) dialog.className = at.clientY < innerHeight / 2 ? "low" : "high";
  dialog.showModal();
  if (at?.beside) placeBeside(dialog, at.beside);
  return new Promise((answered) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      answered(dialog.returnValue);
    });
  });
}

/** Place a question to the right or left of a rectangle, else below or above it; never over it. */
function placeBeside(dialog, place) {
  dialog.classList.add("beside-cell");
  const { width, height } = dialog.getBoundingClientRect();
  const fit = (at, size, room) => Math.max(GAP, Math.min(at, room - size - GAP));
  const right = place.right + GAP;
  const left = place.left - GAP - width;
  const aside = right + width <= innerWidth ? right : left >= 0 ? left : null;
  const below = place.bottom + GAP + height <= innerHeight ? place.bottom + GAP : Math.max(0, place.top - GAP - height);
  dialog.style.left = `${aside ?? fit(place.left, width, innerWidth)}px`;
  dialog.style.top = `${aside === null ? below : fit(place.top, height, innerHeight)}px`;
}

/** Ask for confirmation of what cannot be undone, in the words of its button; resolves to true or false. */
export async function confirmed(question, deed, at) {
  const yes = gettext("Yes, {deed}", { deed: "" }).trim();
  // In English, that is: in German, a button may begin with a noun.
  const within = document.documentElement.lang === "en" ? deed[0].toLowerCase() + deed.slice(1) : deed;
  const label = deed.startsWith(yes) ? deed : gettext("Yes, {deed}", { deed: within });
  return (await ask(question, [{ value: "yes", label, look: "alarm" }], at, true)) === "yes";
}

function button(value, label, look) {
  const made = element("button", label);
  made.value = value;
  made.className = look;
  return made;
}

function element(name, text = "") {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
