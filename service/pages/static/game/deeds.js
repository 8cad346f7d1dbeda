// The buttons for actions without a target on the board; what cannot be undone is confirmed first.

import { confirmed } from "../ask.js";
import { gettext } from "../language.js";

/** The bar of buttons; `play(action)` plays an action. */
export class Deeds {
  constructor(board, play) {
    this.board = board;
    this.play = play;
  }

  /**
   * Show the buttons of these actions. If a kind has several cells (executions), only the button of the chosen cell
   * is shown, in a reserved place, so that choosing moves nothing.
   */
  show(legal) {
    const bar = document.getElementById("deeds");
    // Keep the buttons if they are the same, so that news does not replace one under the pointer.
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

  /** Play an action, after confirmation if it cannot be undone. */
  async commit(one, event) {
    const { key } = this.board;
    const said = one.label ?? one.san;
    if (one.lasting && !(await confirmed(gettext("{action}? You can take it back only if the opponent agrees.", { action: said }), said, event))) return;
    if (this.board.key === key) this.play(one);
  }

  /** Show the buttons of the chosen cell. */
  choose(origin) {
    for (const button of document.querySelectorAll("#deeds [data-from]")) {
      button.classList.toggle("away", button.dataset.from !== origin);
    }
  }
}
