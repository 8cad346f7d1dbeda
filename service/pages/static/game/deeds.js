// The buttons for actions that lead nowhere on the board: what cannot be undone is asked for first.

import { confirmed } from "../ask.js";
import { gettext } from "../language.js";

/** The bar of buttons; `play(action)` plays one. */
export class Deeds {
  constructor(board, play) {
    this.board = board;
    this.play = play;
  }

  /**
   * Show the buttons of these actions. Of one kind with many cells (executions) the button of the chosen cell is
   * shown, in a place that is kept for it: choosing moves nothing.
   */
  show(legal) {
    const bar = document.getElementById("deeds");
    // Buttons that stay are the same ones: news that change nothing of them take none from under a pointer.
    const told = legal.filter((action) => action.to === null).map((action) => action.action).join();
    if (!bar || (this.bar === bar && this.told === told)) return;
    Object.assign(this, { bar, told });
    const slots = new Map();
    for (const one of legal.filter((action) => action.to === null)) {
      const kind = one.from === null ? one.action : one.action.split(":")[0];
      slots.set(kind, [...(slots.get(kind) ?? []), one]);
    }
    bar.replaceChildren(...[...slots.values()].map((alike) => {
      const slot = document.createElement("div");
      slot.className = "slot";
      slot.append(...alike.map((one) => this.#button(one, alike.length > 1)));
      return slot;
    }));
  }

  #button(one, ofCell) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "second";
    button.value = one.action;
    button.textContent = one.label ?? one.san;
    if (ofCell) {
      button.dataset.from = one.from;
      button.classList.add("away");
    }
    button.addEventListener("click", (event) => this.commit(one, event));
    return button;
  }

  /** Play an action, after asking where it cannot be undone. */
  async commit(one, event) {
    const { key } = this.board;
    const said = one.label ?? one.san;
    if (one.lasting && !(await confirmed(gettext("{action}? You can take it back only if the opponent agrees.", { action: said }), said, event))) return;
    if (this.board.key === key) this.play(one);
  }

  /** Show the buttons of the cell that is chosen. */
  choose(origin) {
    for (const button of document.querySelectorAll("#deeds [data-from]")) {
      button.classList.toggle("away", button.dataset.from !== origin);
    }
  }
}
