// A line that leaves the game on its page: one that an engine has found, or a variation. Each of its actions is a link to the
// analysis board; here a click on it shows the position on the page's own board, and the keys step along the line.

import { gettext } from "../language.js";
import { announce } from "../page.js";

const part = (id) => document.getElementById(id);

/** Where a link leaves the game, and by which actions: `{ply, actions}`. */
function read(step) {
  const asked = new URL(step.href).searchParams;
  return { ply: Number(asked.get("ply")), actions: asked.get("line").split(" ") };
}

/** The line that is looked at beside the game, if one is. */
export class Sideline {
  /** `show(ply, position)` shows a position of a line that leaves the game at a ply, null the game there; `state` is the page's. */
  constructor(game, state, show) {
    this.game = game;
    this.state = state;
    this.show = show;
    this.ply = 0;
    this.actions = [];
    /** The positions behind the actions, that where the line begins first. */
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

  /** How many actions of the line were played. */
  get at() {
    return this.open ? this.state.aside.ply - this.ply : 0;
  }

  /** Show the position behind a step. Its line goes on to the last step beside it. */
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

  /** Step along the line by the replay's tools; back from its first action is the game again. */
  go(where) {
    const last = this.actions.length;
    this.#look({ first: 0, back: this.at - 1, on: Math.min(last, this.at + 1), last }[where]);
  }

  /** Have the page tell that a line is shown, where in it, and how it goes on elsewhere. */
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
