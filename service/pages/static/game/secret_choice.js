// Choosing in secret before a game begins: a cell is picked on the board, and sent by the page's form.

import { gettext } from "../language.js";

const form = () => document.querySelector("form.choose");

/** The next secret choice of the reader, if there is one to make. */
export class SecretChoice {
  constructor(board) {
    this.board = board;
    board.on("select", (name) => this.#pick(name));
  }

  get #cells() {
    return form()?.dataset.choosable.split(" ") ?? null;
  }

  /** Show on the board what may be chosen, and what is picked. */
  show() {
    const cells = this.#cells;
    const { selectable } = this.board.state;
    if (!cells && !selectable) return;
    this.board.set({ selectable: cells, picked: form()?.elements.square.value || null });
  }

  #pick(name) {
    if (!this.#cells?.includes(name)) return this.board.say(gettext("{cell} cannot be chosen", { cell: name }));
    form().elements.square.value = name;
    this.show();
    this.board.say(gettext("{cell} is picked", { cell: name }));
  }
}
