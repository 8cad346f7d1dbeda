// Dragging, with a mouse, a pen or a finger; a finger anywhere but on what can be moved scrolls.

import { cellAt, clickedCell, pieceOn } from "./board.js";
import { position } from "./page.js";

const THRESHOLD = 5;
/** So much larger is a piece under a finger, which covers it. */
const UNDER_FINGER = 1.6;

let drag = null;
let dropped = false;

/** Whether the click that is told now only ends a drag. */
export const justDropped = () => dropped;

/**
 * Let pieces be dragged: `begins(from)` says whether an action begins there, `lifted(from)` hears
 * that one is being dragged, `put(from, name, event)` where it was let go, undefined beside the board.
 */
export function watchDrags({ begins, lifted, put }) {
  document.addEventListener("pointerdown", (event) => lift(event, begins));
  document.addEventListener("pointermove", (event) => carry(event, lifted));
  document.addEventListener("pointerup", (event) => drop(event, put));
  document.addEventListener("pointercancel", (event) => drag?.pointer === event.pointerId && putBack());
  document.addEventListener("shown", keep);
  // Whoever drags does not scroll. (`touch-action` does nothing within a picture.)
  document.addEventListener("touchmove", (event) => drag && event.preventDefault(), { passive: false });
}

function lift(event, begins) {
  if (!document.getElementById("act") || !event.isPrimary || event.button !== 0) return;
  const held = event.target.closest("[data-hand]")?.dataset.hand;
  const from = held ? `hand ${held}` : clickedCell(event);
  if (!from || !begins(from)) return;
  const { fen } = position().dataset;
  drag = { from, fen, pointer: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
}

/** The piece that is dragged, where it is drawn at rest: on the board, or in the hand. */
function resting(from) {
  const [, held] = from.split(" ");
  return held ? position().querySelector(`[data-hand="${held}"] use`) : pieceOn(from);
}

function carry(event, lifted) {
  if (drag?.pointer !== event.pointerId) return;
  if (!drag.ghost) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < THRESHOLD) return;
    lifted(drag.from);
    drag.ghost = ghostOf(resting(drag.from), event.pointerType === "touch" ? UNDER_FINGER : 1);
    resting(drag.from).classList.add("lifted");
  }
  // The style sheet has the middle of the ghost there.
  drag.ghost.style.left = `${event.clientX}px`;
  drag.ghost.style.top = `${event.clientY}px`;
  const under = cellAt(event);
  if (under === drag.under) return;
  drag.under?.classList.remove("over");
  drag.under = under;
  under?.classList.add("over");
}

/**
 * A picture of a piece that follows the pointer over the whole window. It has its size in pixels of
 * the screen, so that no scale of the board moves it from the pointer.
 */
function ghostOf(use, scale) {
  const picture = use.ownerSVGElement;
  const size = Number(use.getAttribute("width"));
  const ghost = picture.cloneNode();
  ghost.setAttribute("viewBox", `0 0 ${size} ${size}`);
  ghost.classList.add("ghost");
  const drawn = use.cloneNode();
  drawn.setAttribute("x", 0);
  drawn.setAttribute("y", 0);
  for (const name of ["data-piece", "data-on"]) drawn.removeAttribute(name);
  ghost.append(drawn);
  const across = scale * size * picture.getScreenCTM().a;
  ghost.style.width = `${across}px`;
  ghost.style.height = `${across}px`;
  document.body.append(ghost);
  return ghost;
}

function drop(event, put) {
  if (drag?.pointer !== event.pointerId) return;
  if (!drag.ghost) return putBack();
  const { from } = drag;
  const name = cellAt(event)?.dataset.cell;
  putBack();
  // The click that follows a drag begins nothing.
  dropped = true;
  setTimeout(() => (dropped = false));
  put(from, name, event);
}

/** The page has changed under a drag: it goes on where the position is the same. */
function keep() {
  if (!drag) return;
  if (position()?.dataset.fen !== drag.fen) return putBack();
  if (drag.ghost) resting(drag.from)?.classList.add("lifted");
}

function putBack() {
  drag?.ghost?.remove();
  drag?.under?.classList.remove("over");
  position()?.querySelector(".lifted")?.classList.remove("lifted");
  drag = null;
}
