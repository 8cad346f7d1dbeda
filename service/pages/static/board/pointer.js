// Mouse, pen and touch on a board: clicks and drags. A finger that is not on a movable piece scrolls the page.

import { Ghost } from "./ghost.js";

const THRESHOLD = 5;
const SECOND_BUTTON = 2;

/** The pointer on a board and its hands; drives the board's selection and drawings. */
export class Pointer {
  constructor(board) {
    this.board = board;
    this.drag = null;
    this.dropped = false;
    const { root } = board;
    root.addEventListener("pointerdown", (event) => this.#press(event));
    root.addEventListener("click", (event) => this.#click(event));
    // Clicks neither take the focus from a text field nor select text.
    root.addEventListener("mousedown", (event) => this.#onBoard(event) && event.preventDefault());
    root.addEventListener("contextmenu", (event) => board.drawings && this.#onBoard(event) && event.preventDefault());
    // A drag may continue anywhere in the window.
    addEventListener("pointermove", (event) => this.#carry(event));
    addEventListener("pointerup", (event) => this.#drop(event));
    addEventListener("pointercancel", (event) => this.drag?.pointer === event.pointerId && this.putBack());
    // A drag does not scroll the page. (`touch-action` has no effect inside an SVG.)
    addEventListener("touchmove", (event) => this.drag?.origin && event.preventDefault(), { passive: false });
  }

  #onBoard = (event) => this.board.ground.picture.contains(event.target);

  /** The cell of an event on the board, not on something that covers it; else null. */
  #cell(event) {
    return this.#onBoard(event) ? this.board.ground.cellAt(event.clientX, event.clientY) : null;
  }

  /** The origin at an event: a cell, or a letter in hand. */
  #origin(event) {
    return event.target.closest?.("[data-hand]")?.dataset.letter ?? this.#cell(event);
  }

  #press(event) {
    if (!event.isPrimary || this.drag) return;
    const { board } = this;
    const { pointerId: pointer, clientX: x, clientY: y } = event;
    if (event.button === SECOND_BUTTON && board.drawings) {
      const line = this.#cell(event);
      if (line) this.drag = { pointer, line };
    } else if (event.button === 0) {
      const origin = this.#origin(event);
      if (origin && board.selection.begins(origin)) this.drag = { pointer, x, y, origin, key: board.key, planned: !board.state.legal.length };
    }
  }

  #carry(event) {
    const { board, drag } = this;
    if (drag?.pointer !== event.pointerId || drag.line) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < THRESHOLD) return;
      board.selection.choose(drag.origin);
      const cell = board.geometry.cells.has(drag.origin) ? drag.origin : null;
      const letter = cell ? board.pieces.standing.get(cell) : drag.origin;
      if (!letter) return this.putBack();
      drag.ghost = new Ghost(board, board.geometry.figure(letter, cell), event.pointerType === "touch");
      if (cell) board.pieces.lift(cell, true);
    }
    drag.ghost.move(event.clientX, event.clientY);
    const under = board.ground.cellAt(event.clientX, event.clientY);
    board.marks.showCursor(under ? [under] : [], "over");
  }

  #drop(event) {
    const { board, drag } = this;
    if (drag?.pointer !== event.pointerId) return;
    const name = board.ground.cellAt(event.clientX, event.clientY);
    this.putBack();
    if (drag.line) return name && board.drawings.toggle(drag.line, name);
    if (!drag.ghost) return;
    // Ignore the click that follows a drag.
    this.dropped = true;
    setTimeout(() => (this.dropped = false));
    board.selection.put(drag.origin, name);
  }

  #click(event) {
    if (this.dropped) return;
    const { selection, drawings } = this.board;
    const letter = event.target.closest?.("[data-hand]")?.dataset.letter;
    if (letter) return selection.toggle(letter);
    const name = this.#cell(event);
    if (!name) return;
    drawings?.clear();
    selection.reach(name);
  }

  /**
   * The board has changed during a drag, which goes on if the position is the same, or if it began ahead of the turn:
   * then an opponent's action may arrive at any time.
   */
  keep() {
    const { board, drag } = this;
    if (!drag?.origin) return;
    if (board.key !== drag.key && !(drag.planned && board.selection.begins(drag.origin))) return this.putBack();
    drag.key = board.key;
    if (drag.ghost) board.pieces.lift(drag.origin, true);
  }

  putBack() {
    const { drag, board } = this;
    this.drag = null;
    drag?.ghost?.remove();
    if (drag?.ghost) board.marks.showCursor([], "over");
    if (drag?.origin) board.pieces.lift(drag.origin, false);
  }
}
