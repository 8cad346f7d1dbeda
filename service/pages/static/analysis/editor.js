// Setting up a position: pieces are put on the board and taken off, and the position string follows.

import { element } from "../board/svg.js";
import { gettext } from "../language.js";

const SPAN = 40;

/** The editor of a position, a part of the page that is opened. */
export class Editor {
  constructor(board, { turns }) {
    this.board = board;
    this.turns = turns;
    this.place = document.getElementById("editor");
    this.letter = null;
    this.place.addEventListener("toggle", () => this.#toggle());
    this.place.querySelector("[data-clear]").addEventListener("click", () => this.#set(new Map()));
    this.place.querySelector("[name=turn]").addEventListener("change", () => this.#tell());
    board.on("select", (cell) => this.place.open && this.#put(cell));
    this.#fill();
  }

  /** The pieces to put, each a button, and one that takes off. */
  #fill() {
    const { geometry, pieces } = this.board;
    const buttons = [...geometry.figures.keys()].map((letter) => {
      const figure = geometry.figure(letter, null);
      const box = `${-SPAN / 2} ${-SPAN / 2} ${SPAN} ${SPAN}`;
      const picture = element("svg", { class: `board ${geometry.variant}`, viewBox: box, "aria-hidden": "true" });
      picture.append(pieces.draw(figure, SPAN));
      return this.#button(letter, figure.text, picture);
    });
    this.place.querySelector(".palette").replaceChildren(...buttons, this.#button("", gettext("Take off"), gettext("Take off")));
  }

  #button(letter, name, shown) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "second";
    button.title = name;
    button.setAttribute("aria-label", name);
    button.setAttribute("aria-pressed", "false");
    button.append(shown);
    button.addEventListener("click", () => {
      this.letter = letter;
      for (const one of this.place.querySelectorAll(".palette button")) one.setAttribute("aria-pressed", String(one === button));
    });
    return button;
  }

  /** The page shows another position: setting up begins with that. */
  show(position, below) {
    this.position = position;
    this.below = below;
    if (this.place.open) this.#toggle();
  }

  #toggle() {
    const { board, place, position } = this;
    if (place.open) {
      this.standing = board.geometry.place(position.fen);
      place.querySelector("[name=turn]").value = position.fen.split(" ")[1];
      board.set({ selectable: [...board.geometry.cells.keys()] });
      this.#tell();
    } else {
      board.set({ selectable: null, standing: null });
    }
  }

  #put(cell) {
    if (this.letter === null) return;
    const standing = new Map(this.standing);
    if (this.letter === "" || standing.get(cell) === this.letter) standing.delete(cell);
    else standing.set(cell, this.letter);
    this.#set(standing);
  }

  #set(standing) {
    this.standing = standing;
    this.board.set({ standing });
    this.#tell();
  }

  /** Write the position string of what stands on the board; its other fields stay. */
  #tell() {
    const rows = this.board.geometry.rows.map((row) => row.map((cell) => this.standing.get(cell) ?? " ").join(""));
    const placement = rows.map((row) => row.replaceAll(/ +/g, (blanks) => blanks.length)).join("/");
    const [, , ...rest] = this.position.fen.split(" ");
    const turn = this.place.querySelector("[name=turn]").value;
    this.place.querySelector("[name=fen]").value = [placement, turn, ...rest].join(" ");
  }
}
