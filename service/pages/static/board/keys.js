// A board by the keyboard: arrows go from cell to cell as they lie on the screen, Enter and Space do what a click does.

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** The keys on a board; one of its cells takes part in the page's order of focus. */
export class Keys {
  constructor(board) {
    this.board = board;
    const { picture } = board.ground;
    this.at = picture.querySelector('[tabindex="0"]').dataset.cell;
    picture.addEventListener("keydown", (event) => this.#pressed(event));
    // A picture that listens to focus itself could be focused in Chromium, before any cell.
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
    // The arrows are the replay's elsewhere.
    event.preventDefault();
    event.stopPropagation();
  }
}
