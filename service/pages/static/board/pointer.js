// What a mouse, a pen or a finger does on a board: clicks, drags; a finger anywhere but on what can be moved scrolls.

import { Ghost } from "./ghost.js";

const THRESHOLD = 5;
const SECOND_BUTTON = 2;

/** The pointer on a board and on the hands beside it; tells the board's selection and its drawings. */
export class Pointer {
  constructor(board) {
    this.board = board;
    this.drag = null;
    this.dropped = false;
    const { root } = board;
    root.addEventListener("pointerdown", (event) => this.#press(event));
    root.addEventListener("click", (event) => this.#click(event));
    // Clicks move no focus from what is being typed, and mark no text.
    root.addEventListener("mousedown", (event) => this.#onBoard(event) && event.preventDefault());
    root.addEventListener("contextmenu", (event) => board.drawings && this.#onBoard(event) && event.preventDefault());
    // The rest of a drag may be anywhere in the window.
    addEventListener("pointermove", (event) => this.#carry(event));
    addEventListener("pointerup", (event) => this.#drop(event));
    addEventListener("pointercancel", (event) => this.drag?.pointer === event.pointerId && this.putBack());
    // Whoever drags does not scroll. (`touch-action` does nothing within a picture.)
    addEventListener("touchmove", (event) => this.drag?.origin && event.preventDefault(), { passive: false });
  }

  #onBoard = (event) => this.board.ground.picture.contains(event.target);

  /** The cell that an event meant: one on the board, not on what covers it. */
  #cell(event) {
    return this.#onBoard(event) ? this.board.ground.cellAt(event.clientX, event.clientY) : null;
  }

  /** Where an action would begin: a cell, or a letter in hand. */
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
    // The click that follows a drag begins nothing.
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
   * The board has changed under a drag: it goes on where the position is the same, or where it was begun ahead of
   * the turn, which news may come in the midst of.
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
