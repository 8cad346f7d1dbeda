// Placing the pieces in hand at random: one each time it is the reader's turn, until it is switched off.

const button = () => document.getElementById("chance");

/** The button that places the rest at random; `play(action)` plays an action, `tell(on)` is called with its state. */
export class Chance {
  constructor(play, tell) {
    this.play = play;
    this.tell = tell;
    this.on = false;
    document.addEventListener("click", (event) => event.target === button() && this.#switch());
  }

  #switch() {
    this.on = !this.on;
    this.show(this.state);
  }

  /** Show the button while pieces are left to place; if it is on and the reader's turn, place one. */
  show(state) {
    this.state = state;
    const left = state.own.length === 1 && state.newest.status === "running" && state.hand.length > 0;
    this.on &&= left;
    this.tell(this.on);
    if (!button()) return;
    // It keeps its place, so that nothing moves when the last piece is placed.
    button().closest(".deeds").classList.toggle("away", !left);
    button().setAttribute("aria-pressed", String(this.on));
    if (this.on) queueMicrotask(() => this.#place());
  }

  #place() {
    const actions = this.on ? this.state.legal.filter((one) => one.kind === "drop") : [];
    if (actions.length) this.play(actions[Math.floor(Math.random() * actions.length)]);
  }

  /** An action was refused: leave the rest to the reader. */
  stop() {
    this.on = false;
    this.tell(false);
  }
}
