// No part of a page is replaced while something in it is pressed: the click would be lost. In lists of challenges, no row
// moves just before it is clicked either, and no press counts that was meant for another row.

/** The parts of a page that have such lists, or have lists above them. */
const PARTS = "[data-steady]";
const LIST = ".challenges";
/** Milliseconds in which a reader may not have noticed that the rows have moved. */
const UNNOTICED = 500;
/** Milliseconds after which a pointer that has not moved is no longer about to click. */
const RESTED = 10_000;

/** @type {Map<Element, () => void>} the changes of parts that wait until they are no longer held */
const waiting = new Map();
/** Called once no change waits. @type {(() => void)[]} */
const waiters = [];
/** What is pressed with a mouse, a pen or the space bar. A finger's click goes to whatever is there when it comes. */
let pressed = null;
let isPointed = false;
let resting;
let moved = -Infinity;

/**
 * Change a part of the page: at once, or once nothing in it is pressed any more. If its rows would move under the
 * pointer, once that has left them or rests.
 */
export function changeSteadily(part, change) {
  waiting.set(part, change);
  changeWaiting();
}

/** Resolves once no change waits. */
export const settled = () => new Promise((done) => (waiting.size ? waiters.push(done) : done()));

/** Leave the row of a game that is gone in its place, with buttons that do nothing. */
export function retire(row) {
  row.classList.add("gone");
  for (const button of row.querySelectorAll("button")) button.ariaDisabled = "true";
}

const rows = () => [...document.querySelectorAll(`${PARTS} [data-game]`)].map(({ dataset }) => dataset.game).join();

const isHeld = (part) => part.contains(pressed) || (isPointed && part.matches(PARTS));

/** Change the parts that are not held; returns how many. */
function changeWaiting() {
  if (!waiting.size) return 0;
  const before = rows();
  const due = [...waiting].filter(([part]) => !isHeld(part));
  for (const [part, change] of due) {
    waiting.delete(part);
    change();
  }
  if (rows() !== before) moved = performance.now();
  if (!waiting.size) for (const done of waiters.splice(0)) done();
  return due.length;
}

function point(element) {
  clearTimeout(resting);
  isPointed = Boolean(element?.closest?.(LIST));
  if (isPointed) resting = setTimeout(release, RESTED);
  else release();
}

function release() {
  isPointed = false;
  changeLate();
}

function changeLate() {
  if (changeWaiting()) document.dispatchEvent(new CustomEvent("shown"));
}

function judge(event) {
  const button = event.target.closest?.(`${LIST} button`);
  if (!button) return;
  // A key presses the button that has the focus, wherever that is.
  const isByPointer = event.detail > 0;
  const isHasty = isByPointer && event.timeStamp - moved < UNNOTICED;
  if (isHasty || button.ariaDisabled === "true") event.preventDefault();
}

/** Something is no longer pressed; its click comes before the next task. */
function letGo() {
  if (!pressed) return;
  setTimeout(() => {
    pressed = null;
    changeLate();
  });
}

document.addEventListener("pointerdown", ({ target, button, pointerType }) => (pressed = button || pointerType === "touch" ? null : target));
document.addEventListener("keydown", ({ target, key }) => key === " " && (pressed = target));
for (const end of ["pointerup", "pointercancel", "dragend", "keyup"]) document.addEventListener(end, letGo);
addEventListener("blur", letGo);
document.addEventListener("pointerover", ({ target }) => point(target));
document.addEventListener("pointermove", ({ target, buttons }) => {
  // Another window may have got the release.
  if (!buttons) letGo();
  point(target);
});
document.addEventListener("pointerout", ({ relatedTarget }) => point(relatedTarget));
document.addEventListener("click", judge, true);
