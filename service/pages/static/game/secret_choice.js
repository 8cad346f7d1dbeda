// Secret choices before a game begins: a cell is picked on the board and sent with the page's form.

import { gettext } from "../language.js";

const form = () => document.querySelector("form.choose");

/** The reader's next secret choice, if any. */
export class SecretChoice {
  constructor(board) {
    this.board = board;
    board.on("select", (name) => this.#pick(name));
  }

  get #cells() {
    return form()?.dataset.choosable.split(" ") ?? null;
  }

  /** Show on the board the cells that may be chosen, and the one picked. */
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
