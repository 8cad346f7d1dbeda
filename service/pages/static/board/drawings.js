// Arrows and circles that readers draw for themselves with the right button; they last until the next click or ply.

/** The reader's drawings on a board. */
export class Drawings {
  constructor(board) {
    this.board = board;
    this.shapes = [];
  }

  /** Draw an arrow between two cells or a circle around one; if it is already there, remove it. */
  toggle(from, to) {
    const others = this.shapes.filter((one) => one.from !== from || one.to !== to);
    this.shapes = others.length < this.shapes.length ? others : [...this.shapes, { from, to }];
    this.show();
  }

  clear() {
    if (!this.shapes.length) return;
    this.shapes = [];
    this.show();
  }

  /** Show the drawings on top of the page's own shapes. */
  show() {
    this.board.marks.showShapes([...this.board.state.shapes, ...this.shapes]);
  }
}
