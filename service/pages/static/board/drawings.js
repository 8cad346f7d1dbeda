// Arrows and circles that a reader draws with the right button: for themselves, until the next click or ply.

/** The reader's drawings on a board. */
export class Drawings {
  constructor(board) {
    this.board = board;
    this.shapes = [];
  }

  /** Draw from a cell to another, or around one; what is there already goes. */
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

  /** Show them over the shapes that the page has put on the board. */
  show() {
    this.board.marks.showShapes([...this.board.state.shapes, ...this.shapes]);
  }
}
