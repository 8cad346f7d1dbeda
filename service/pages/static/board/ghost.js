// The picture of a dragged piece; it follows the pointer across the window.

import { element } from "./svg.js";

/** How much larger a piece is drawn under a finger, which would hide it. */
const UNDER_FINGER = 1.6;

/**
 * A piece at the pointer. Its size is in screen pixels, so the scale of the board does not shift it away
 * from the pointer; the style sheet centres it there.
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
