// The picture of a dragged piece, which follows the pointer over the whole window.

import { element } from "./svg.js";

/** So much larger is a piece under a finger, which covers it. */
const UNDER_FINGER = 1.6;

/**
 * A piece at the pointer. It has its size in pixels of the screen, so that no scale of the board moves
 * it from the pointer; the style sheet has its middle where it is put.
 */
export class Ghost {
  constructor(board, figure, touch) {
    const { span, variant } = board.geometry;
    const across = span * board.ground.scale * (touch ? UNDER_FINGER : 1);
    const half = span / 2;
    this.picture = element("svg", { class: `board ${variant} ghost`, viewBox: `${-half} ${-half} ${span} ${span}` });
    this.picture.append(board.pieces.draw(figure, span));
    this.picture.style.width = `${across}px`;
    this.picture.style.height = `${across}px`;
    document.body.append(this.picture);
  }

  move(x, y) {
    this.picture.style.left = `${x}px`;
    this.picture.style.top = `${y}px`;
  }

  remove() {
    this.picture.remove();
  }
}
