// Playing by click and by drag: what is clicked together is sent as one of the legal actions.

import { label, legal } from "./actions.js";
import { ask, confirmed } from "./ask.js";
import { cell, clearBoard, clickedCell, hint } from "./board.js";
import { justDropped, watchDrags } from "./drag.js";
import { isUnderWay } from "./forms.js";
import { announce, position } from "./page.js";

let chosen = null;
let chosenIn = null;

/** Let the page's board be played on. */
export function watchBoards() {
  document.addEventListener("shown", prepare);
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", (event) => event.key === "Escape" && position() && choose(null));
  watchDrags({ begins, lifted: choose, put });
  prepare();
}

const begins = (from) => legal().some((one) => one.from === from);

/** Show what may be clicked: the cells that begin an action, and what needs a button. */
function prepare() {
  if (!position()) return;
  // News that leaves the position as it is leaves what was chosen in it.
  if (position().dataset.fen !== chosenIn) chosen = null;
  const begun = new Set(legal().map((one) => one.from));
  for (const one of position().querySelectorAll("[data-cell]")) {
    one.classList.toggle("open", begun.has(one.dataset.cell));
  }
  offer();
  highlight();
  showChoosable();
}

const choosing = () => document.querySelector("form.choose");
const choosable = () => choosing()?.dataset.choosable.split(" ") ?? [];

/** Show what the next secret choice may be, and what is picked. */
function showChoosable() {
  if (!choosing()) return;
  clearBoard();
  const picked = choosing().elements.square.value;
  for (const name of choosable()) {
    cell(name)?.classList.add("open");
    cell(name)?.classList.toggle("chosen", name === picked);
    hint(name);
  }
}

/**
 * The buttons for actions that lead nowhere on the board. Of one kind with many cells (executions)
 * the button of the chosen cell is shown, in a place that is kept for it: choosing moves nothing.
 */
function offer() {
  const bar = document.getElementById("deeds");
  if (!bar) return;
  const deeds = legal().filter((one) => one.to === null);
  const slots = new Map();
  for (const one of deeds) {
    const key = one.word ?? one.action;
    slots.set(key, [...(slots.get(key) ?? []), one]);
  }
  bar.replaceChildren(...[...slots.values()].map((alike) => {
    const slot = document.createElement("div");
    slot.className = "slot";
    slot.append(...alike.map((one) => deed(one, alike.length > 1)));
    return slot;
  }));
}

/** The button of an action that leads nowhere on the board; one `ofCell` is seen while that is chosen. */
function deed(one, ofCell) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "second";
  button.value = one.action;
  button.textContent = label(one);
  if (ofCell) button.dataset.from = one.from;
  button.addEventListener("click", (event) => commit(one, event));
  return button;
}

/** Play an action that moves no piece. In a game, where it cannot be undone, it is asked for first. */
async function commit(one, event) {
  const { fen } = position().dataset;
  const said = label(one);
  const lasting = document.getElementById("act")?.method === "post";
  if (lasting && !(await confirmed(`${said}? This cannot be undone.`, said, event))) return;
  if (position().dataset.fen === fen) submit(one.action);
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
  clearBoard();
  for (const held of document.querySelectorAll("[data-hand]")) {
    held.setAttribute("aria-pressed", String(chosen === `hand ${held.dataset.hand}`));
  }
  for (const button of document.querySelectorAll("#deeds [data-from]")) {
    button.classList.toggle("away", button.dataset.from !== chosen);
  }
  if (chosen === null) return [];
  cell(chosen)?.classList.add("chosen");
  const targets = new Set(legal().filter((one) => one.from === chosen && one.to).map((one) => one.to));
  for (const to of targets) hint(to);
  return [...targets];
}

function clicked(event) {
  if (justDropped()) return;
  const token = event.target.closest("[data-token]")?.dataset.token;
  if (token) return named(token, event);
  const name = clickedCell(event);
  if (choosing() && name) return pickInSecret(name);
  if (!document.getElementById("act")) return;
  const held = event.target.closest("[data-hand]");
  if (held) return choose(chosen === `hand ${held.dataset.hand}` ? null : `hand ${held.dataset.hand}`);
  if (name) reach(name, event);
}

/**
 * An action was clicked by its name: one that moves no piece is asked for, as at its own button. One
 * that is not legal in the position shown is put into the field, to be sent from there.
 */
function named(san, event) {
  const one = legal().find((action) => action.san === san);
  if (one) return one.to === null ? commit(one, event) : submit(san);
  const field = document.getElementById("act")?.elements.action;
  if (!field) return;
  field.value = san;
  field.focus();
}

/** A cell was clicked while a secret choice is to be made. */
function pickInSecret(name) {
  const field = choosing().elements.square;
  if (!choosable().includes(name)) return announce(`${name} cannot be chosen`);
  field.value = name;
  showChoosable();
  announce(`${name} picked`);
}

/** The legal actions from a cell, or a kind in hand, to a cell. */
const between = (from, to) => legal().filter((one) => one.from === from && one.to === to);

/** A cell was clicked: an action ends here, or begins here. */
function reach(name, event) {
  const found = chosen !== null && chosen !== name ? between(chosen, name) : [];
  if (found.length) return pick(found, event);
  choose(begins(name) && chosen !== name ? name : null);
}

/** A piece was dragged to a cell, or beside the board; on its own cell it stays chosen. */
function put(from, name, event) {
  const found = between(from, name);
  if (found.length) return pick(found, event);
  // Sent all the same: the refusal explains itself.
  if (name && name !== from && !from.startsWith("hand")) return submit(from + name);
  if (name !== from) choose(null);
}

/** Play the one action, or ask which of several is meant. */
async function pick(found, event) {
  if (found.length === 1) return submit(found[0].action);
  const { fen } = position().dataset;
  const options = found.map((one) => ({ value: one.action, label: label(one) }));
  const action = await ask("Which action?", options, event);
  if (position().dataset.fen !== fen) return;
  if (action) submit(action);
  else choose(null);
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
