// A line beside the game on its page: one that the engine has found, or a variation. Each of its actions links to the
// analysis board; a click shows its position on this page's board instead, and the keys step along the line.

import { gettext } from "../language.js";
import { announce } from "../page.js";

const part = (id) => document.getElementById(id);

/** The ply at which a link's line leaves the game, and its actions: `{ply, actions}`. */
function read(step) {
  const asked = new URL(step.href).searchParams;
  return { ply: Number(asked.get("ply")), actions: asked.get("line").split(" ") };
}

/** The line shown beside the game, if any. */
export class Sideline {
  /** `show(ply, position)` shows a position of a line that leaves the game at a ply, or the game's own if null. */
  constructor(game, state, show) {
    this.game = game;
    this.state = state;
    this.show = show;
    this.ply = 0;
    this.actions = [];
    /** The positions after the actions; the first is the one where the line begins. */
    this.positions = [];
    document.addEventListener("click", (event) => {
      const step = event.target.closest("#game a.step");
      if (!step || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.#enter(step);
    });
    document.addEventListener("steps", () => this.mark());
    part("back-to-game").addEventListener("click", () => this.show(this.ply, null));
  }

  get open() {
    return this.state.aside !== null;
  }

  /** The number of actions played from the line. */
  get at() {
    return this.open ? this.state.aside.ply - this.ply : 0;
  }

  /** Show the position after a step. Its line is that of the last step beside it. */
  async #enter(step) {
    const { ply, actions } = read(step);
    const whole = read([...step.parentElement.querySelectorAll(":scope > a.step")].at(-1)).actions;
    const wanted = (this.wanted = step.href);
    try {
      const positions = await this.#fetch(ply, whole);
      if (this.wanted !== wanted) return;
      Object.assign(this, { ply, actions: whole, positions });
      this.#look(actions.length);
    } catch (refused) {
      announce(refused.detail ?? gettext("No answer. Try again."));
    }
  }

  async #fetch(ply, actions) {
    const same = ply === this.ply && actions.join() === this.actions.join();
    if (same) return this.positions;
    const asked = new URLSearchParams({ from: ply, line: actions.join(" ") });
    const answer = await fetch(`/api/v1/games/${this.game}/positions?${asked}`, { headers: { Accept: "application/json" } });
    const told = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(told.title), { detail: told.detail });
    return told.items;
  }

  #look(at) {
    return this.show(this.ply, at ? this.positions[at] : null);
  }

  /** Step along the line with the replay's tools; going back from its first action returns to the game. */
  go(where) {
    const last = this.actions.length;
    this.#look({ first: 0, back: this.at - 1, on: Math.min(last, this.at + 1), last }[where]);
  }

  /** Mark the step shown, show that the reader has left the game, and link to the analysis board. */
  mark() {
    const shown = this.actions.slice(0, this.at).join(" ");
    for (const step of document.querySelectorAll("#game a.step")) {
      const { ply, actions } = read(step);
      if (this.open && ply === this.ply && actions.join(" ") === shown) step.setAttribute("aria-current", "true");
      else step.removeAttribute("aria-current");
    }
    part("sideline").hidden = !this.open;
    part("connection").hidden = this.open;
    part("go-on").search = new URLSearchParams({ game: this.game, ply: this.ply, line: shown });
  }
}
