// Playing by click and by drag. There are no rules here: the page says which actions are legal, in
// coordinate form (docs/notation.md), and what is clicked together is sent as one of them.

import { isUnderWay } from "./forms.js";
import { announce, position } from "./page.js";

const SQUARE = /[a-l]\d{1,2}/g;
const SVG = "http://www.w3.org/2000/svg";

let chosen = null;
let chosenIn = null;
let drag = null;
let dropped = false;

/** Let the page's board be played on. */
export function watchBoards() {
  document.addEventListener("shown", prepare);
  document.addEventListener("click", clicked);
  document.addEventListener("pointerdown", lift);
  document.addEventListener("pointermove", carry);
  document.addEventListener("pointerup", drop);
  document.addEventListener("pointercancel", putBack);
  // Whoever drags does not scroll. (`touch-action` does nothing within a picture.)
  document.addEventListener("touchmove", (event) => drag && event.preventDefault(), { passive: false });
  document.addEventListener("keydown", (event) => event.key === "Escape" && position() && choose(null));
  prepare();
}

/** An action taken apart: where it is begun (a cell, or a kind in hand), where it leads. */
function parsed({ action, san }) {
  const squares = action.match(SQUARE) ?? [];
  const held = action.match(/^([A-Z])@/)?.[1];
  if (held) return { action, san, from: `hand ${held}`, to: squares[0] };
  const word = action.match(/^([A-Z]):/)?.[1];
  if (word) return { action, san, word, from: squares[0], to: null };
  return { action, san, from: squares[0] ?? null, to: squares[1] ?? null };
}

const legal = () => JSON.parse(position()?.dataset.legal ?? "[]").map(parsed);
const words = () => JSON.parse(position().dataset.words);
const cell = (name) => position().querySelector(`[data-cell="${name}"]`);

/** An action in words, where it has any. */
function label(one) {
  const known = words();
  if (one.word) return `${known[one.word]} ${one.from}`;
  const back = known[one.action.match(/=[A-Z]/)?.[0]];
  const other = one.action.split("&")[1]?.match(SQUARE);
  const parts = [known[one.action] ?? one.san];
  if (other) parts.push(`together with ${other[0]}`);
  if (back) parts.push(back);
  return parts.join(" – ");
}

/** Show what may be clicked: the cells that begin an action, and what needs a button. */
function prepare() {
  if (!position()) return;
  // News that leaves the position as it is leaves what was chosen in it.
  if (position().dataset.fen !== chosenIn) chosen = null;
  const begun = new Set(legal().map((one) => one.from));
  for (const one of position().querySelectorAll("[data-cell]")) {
    one.classList.toggle("open", begun.has(one.dataset.cell));
  }
  highlight();
  showChoosable();
}

const choosing = () => document.querySelector("form.choose");
const choosable = () => choosing()?.dataset.choosable.split(" ") ?? [];

/** Show what the next secret choice may be, and what is picked. */
function showChoosable() {
  if (!choosing()) return;
  clear();
  const picked = choosing().elements.square.value;
  for (const name of choosable()) {
    cell(name)?.classList.add("open");
    cell(name)?.classList.toggle("chosen", name === picked);
    hint(name);
  }
}

/** The buttons for actions that lead nowhere on the board; where there are many, for the chosen cell. */
function offer() {
  const bar = document.getElementById("deeds");
  if (!bar) return;
  const deeds = legal().filter((one) => one.to === null);
  const many = (one) => deeds.filter((other) => other.word && other.word === one.word).length > 1;
  const shown = deeds.filter((one) => !many(one) || one.from === chosen);
  bar.replaceChildren(...shown.map((one) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "second";
    button.value = one.action;
    button.textContent = label(one);
    button.addEventListener("click", () => submit(one.action));
    return button;
  }));
}

/** Choose where an action begins, null for nothing. */
function choose(from) {
  chosen = from;
  chosenIn = position().dataset.fen;
  const targets = highlight();
  if (from !== null) announce(targets.length ? `${from}: ${targets.join(", ")}` : from);
}

/** Show what is chosen, and where it leads: the cells named. */
function highlight() {
  clear();
  for (const held of document.querySelectorAll("[data-hand]")) {
    held.setAttribute("aria-pressed", String(chosen === `hand ${held.dataset.hand}`));
  }
  offer();
  if (chosen === null) return [];
  cell(chosen)?.classList.add("chosen");
  const targets = new Set(legal().filter((one) => one.from === chosen && one.to).map((one) => one.to));
  for (const to of targets) hint(to);
  return [...targets];
}

/** Take away what is highlighted. */
function clear() {
  for (const old of document.querySelectorAll(".cell.chosen")) old.classList.remove("chosen");
  for (const old of document.querySelectorAll(".hint")) old.remove();
}

/** Highlight a cell that an action leads to. */
function hint(name) {
  const target = cell(name);
  const box = target.getBBox();
  const circle = document.createElementNS(SVG, "circle");
  const taken = position().querySelector(`[data-on="${name}"]`);
  circle.setAttribute("cx", box.x + box.width / 2);
  circle.setAttribute("cy", box.y + box.height / 2);
  circle.setAttribute("r", (taken ? 0.44 : 0.16) * Math.min(box.width, box.height));
  circle.setAttribute("class", `hint ${taken ? "capture" : "target"}`);
  target.ownerSVGElement.append(circle);
}

function clicked(event) {
  if (dropped) return;
  const token = event.target.closest("[data-token]");
  if (token) return submit(token.dataset.token);
  const name = event.target.closest?.("#board [data-cell]")?.dataset.cell;
  if (choosing() && name) return pickInSecret(name);
  if (!document.getElementById("act")) return;
  const held = event.target.closest("[data-hand]");
  if (held) return choose(chosen === `hand ${held.dataset.hand}` ? null : `hand ${held.dataset.hand}`);
  if (name) reach(name);
}

/** A cell was clicked while a secret choice is to be made. */
function pickInSecret(name) {
  const field = choosing().elements.square;
  if (!choosable().includes(name)) return announce(`${name} cannot be chosen`);
  field.value = name;
  showChoosable();
  announce(`${name} picked`);
}

/** A cell was clicked: an action ends here, or begins here. */
function reach(name) {
  if (chosen !== null && chosen !== name) {
    const found = legal().filter((one) => one.from === chosen && one.to === name);
    if (found.length) return pick(found);
  }
  const begins = legal().some((one) => one.from === name);
  choose(begins && chosen !== name ? name : null);
}

/** Play the one action, or ask which of several is meant. */
function pick(found) {
  if (found.length === 1) return submit(found[0].action);
  const dialog = document.getElementById("chooser");
  dialog.querySelector(".options").replaceChildren(...found.map((one) => {
    const button = document.createElement("button");
    button.value = one.action;
    button.textContent = label(one);
    return button;
  }));
  dialog.returnValue = "";
  dialog.onclose = () => (dialog.returnValue ? submit(dialog.returnValue) : choose(null));
  dialog.showModal();
}

/** Send an action by the page's form. */
function submit(action) {
  const form = document.getElementById("act");
  if (!form) return;
  choose(null);
  if (isUnderWay(form)) return;
  form.elements.action.value = action;
  form.requestSubmit();
}

// Dragging, with a mouse, a pen or a finger; a finger anywhere but on what can be moved scrolls.

function lift(event) {
  const act = document.getElementById("act");
  if (!act || !event.isPrimary || event.button !== 0) return;
  const held = event.target.closest("[data-hand]");
  const name = event.target.closest("#board [data-cell]")?.dataset.cell;
  const from = held ? `hand ${held.dataset.hand}` : name;
  if (!from || !legal().some((one) => one.from === from)) return;
  const use = held ? held.querySelector("use") : position().querySelector(`[data-on="${name}"]`);
  drag = { from, use, x: event.clientX, y: event.clientY, ghost: null };
}

function carry(event) {
  if (!drag) return;
  if (!drag.ghost) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 5) return;
    choose(drag.from);
    drag.ghost = drag.use.cloneNode();
    drag.ghost.classList.add("ghost");
    drag.ghost.classList.toggle("large", event.pointerType === "touch");
    drag.use.classList.add("lifted");
    position().querySelector(".frame svg").append(drag.ghost);
  }
  const board = position().querySelector(".frame svg");
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM().inverse());
  drag.ghost.setAttribute("x", at.x - Number(drag.ghost.getAttribute("width")) / 2);
  drag.ghost.setAttribute("y", at.y - Number(drag.ghost.getAttribute("height")) / 2);
  const under = cellAt(event);
  if (under === drag.under) return;
  drag.under?.classList.remove("over");
  drag.under = under;
  under?.classList.add("over");
}

const cellAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("#board [data-cell]");

function drop(event) {
  if (!drag?.ghost) return putBack();
  const { from } = drag;
  const name = cellAt(event)?.dataset.cell;
  putBack();
  // The click that follows a drag begins nothing.
  dropped = true;
  setTimeout(() => (dropped = false));
  const found = legal().filter((one) => one.from === from && one.to === name);
  if (found.length) pick(found);
  else if (name && name !== from && !from.startsWith("hand")) submit(from + name);
  else choose(null);
}

function putBack() {
  drag?.ghost?.remove();
  drag?.under?.classList.remove("over");
  drag?.use.classList.remove("lifted");
  drag = null;
}
