// A player's planned action, in words: shown above the board with a button that cancels it. The player is told if it is
// dropped because it turned out to be illegal.

import { gettext } from "../language.js";

/** The plan on a game's page. */
export class Planning {
  constructor(page) {
    this.page = page;
    const { board } = page;
    board.on("plan", (plan) => this.#show(plan));
    board.on("dropped", (plan) => page.turn.note(gettext("Planned, but not possible now: {plan}", { plan: this.#name(plan) })));
    this.button = document.createElement("button");
    Object.assign(this.button, { type: "button", className: "plain", id: "unplan", textContent: gettext("Cancel the plan") });
    this.button.addEventListener("click", () => board.selection.cancel());
  }

  #show(plan) {
    const { turn, state } = this.page;
    if (plan) this.page.place.querySelector(".second-line").append(this.button);
    else this.button.remove();
    turn.plan = plan ? gettext("Planned: {plan}", { plan: this.#name(plan) }) : null;
    if (state.newest) turn.show(state);
  }

  /** A plan in words: the piece and its cells. */
  #name([from, to]) {
    const { geometry } = this.page.board;
    return geometry.cells.has(from) ? `${from}–${to}` : `${geometry.figure(from, null).name} ${to}`;
  }
}
