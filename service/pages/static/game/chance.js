// Placing by chance what is still in hand: a piece each time it is the reader's turn, until it is switched off.

const button = () => document.getElementById("chance");

/** The button that has the rest placed by chance; `play(action)` plays an action, `tell(on)` is told whether it is on. */
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

  /** Show whether anything is left to be placed; where it is the reader's turn, place a piece. */
  show(state) {
    this.state = state;
    const left = state.own.length === 1 && state.newest.status === "running" && state.hand.length > 0;
    this.on &&= left;
    this.tell(this.on);
    if (!button()) return;
    // It keeps its place to the end: nothing moves when the last piece is placed.
    button().closest(".deeds").classList.toggle("away", !left);
    button().setAttribute("aria-pressed", String(this.on));
    if (this.on) queueMicrotask(() => this.#place());
  }

  #place() {
    const actions = this.on ? this.state.legal.filter((one) => one.kind === "drop") : [];
    if (actions.length) this.play(actions[Math.floor(Math.random() * actions.length)]);
  }

  /** What was tried was refused: the reader sees to it. */
  stop() {
    this.on = false;
    this.tell(false);
  }
}
