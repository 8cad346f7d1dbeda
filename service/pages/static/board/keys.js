// Using a board with the keyboard: arrow keys go to the neighbouring cell on the screen, Enter and Space act as a click.

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** The keys of a board; one of its cells is in the page's tab order. */
export class Keys {
  constructor(board) {
    this.board = board;
    const { picture } = board.ground;
    this.at = picture.querySelector('[tabindex="0"]').dataset.cell;
    picture.addEventListener("keydown", (event) => this.#pressed(event));
    // Not on the picture: Chromium would make it focusable itself, ahead of the cells.
    board.frame.addEventListener("focusin", ({ target }) => this.#move(target.dataset.cell, target.matches(":focus-visible")));
    board.frame.addEventListener("focusout", () => board.marks.showCursor([], "at"));
  }

  #move(name, seen) {
    const { cells } = this.board.ground;
    if (!cells.has(name)) return;
    cells.get(this.at).setAttribute("tabindex", "-1");
    cells.get(name).setAttribute("tabindex", "0");
    this.at = name;
    if (seen) this.board.marks.showCursor([name], "at");
  }

  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { geometry, ground, selection } = this.board;
    const arrow = ARROWS[event.key];
    if (arrow) {
      const [right, down] = ground.flipped ? arrow.map((one) => -one) : arrow;
      ground.cells.get(geometry.step(this.at, right, down)).focus({ preventScroll: false });
    } else if (event.key === "Enter" || event.key === " ") {
      selection.reach(this.at);
    } else {
      return;
    }
    // Outside the board the arrow keys belong to the replay.
    event.preventDefault();
    event.stopPropagation();
  }
}
