// What is chosen on a board and where it can go: two cells together become one of the legal actions. There are
// no rules here. Out of turn, two cells become a plan, which is played if it is legal when the turn has come.

import { ask } from "../ask.js";
import { gettext } from "../language.js";

/** How much of what a hand does ahead is kept. */
const MOST_LATER = 12;

/** @typedef {{action: string, san: string, from: string?, to: string?, kind: string, label?: string, lasting?: boolean,
 *   changes?: Object<string, string?>}} Action an origin (`from`) is a cell, or a letter in hand */

/** The selection on a board. */
export class Selection {
  constructor(board) {
    this.board = board;
    this.chosen = null;
    this.plan = null;
    /** Whether what is chosen stayed so by itself after it was played: the next click on it lets it be. */
    this.kept = false;
    /** What a hand has done while the board was waiting. */
    this.later = [];
  }

  get #legal() {
    return this.board.state.legal;
  }

  /** Whether plans may be made: it is nobody's turn on this board, but `plans` says whose it will be. */
  get #planning() {
    return this.board.state.plans !== null && !this.#legal.length;
  }

  /** Whether something begins at a cell or with a letter in hand. */
  begins(origin) {
    const { state, geometry, pieces } = this.board;
    if (state.viewOnly || state.selectable) return false;
    if (state.waiting) return pieces.standing.has(origin) || !geometry.cells.has(origin);
    if (!this.#planning) return this.#legal.some((one) => one.from === origin);
    const cell = geometry.cells.has(origin);
    if (cell) return pieces.sideOf(origin) === state.plans;
    return geometry.figure(origin, null).side === state.plans && (state.hand?.includes(origin) ?? true);
  }

  /** Choose where an action begins, null for nothing. */
  choose(origin) {
    this.kept = false;
    this.chosen = origin;
    const targets = this.show();
    if (origin === null) return;
    const strengths = ({ to, attack, defence }) => gettext("{to} ({attack} against {defence})", { to, attack, defence });
    const captures = new Map(this.#capturesFrom(origin).map((one) => [one.to, strengths(one)]));
    const refused = this.#refusedFrom(origin).filter((one) => one.verdict === "too weak").map(strengths);
    const said = [targets.map((to) => captures.get(to) ?? to).join(", "), refused.length ? gettext("not strong enough for {cells}", { cells: refused.join(", ") }) : ""].filter(Boolean);
    this.board.say(said.length ? `${origin}: ${said.join("; ")}` : origin);
  }

  /** Keep what a hand does while the board waits for what is possible; whether it does. */
  #postpone(deed) {
    const { waiting } = this.board.state;
    if (waiting && this.later.length < MOST_LATER) this.later.push(deed);
    return waiting;
  }

  /** Do what a hand has done while the board was waiting. */
  catchUp() {
    for (const deed of this.later.splice(0)) deed();
  }

  /** Choose an origin, or let go of it. */
  toggle(origin) {
    if (this.#postpone(() => this.toggle(origin))) return;
    this.cancel();
    this.choose((this.kept || this.chosen !== origin) && this.begins(origin) ? origin : null);
  }

  /** Let go of what is chosen, and of the plan. */
  clear() {
    this.later = [];
    this.cancel();
    this.choose(null);
  }

  /** Let go of the plan. */
  cancel() {
    if (!this.plan) return;
    this.plan = null;
    this.show();
    this.board.say(gettext("The planned action is cancelled."));
  }

  /** Show what is chosen, and where it leads: the cells returned. */
  show() {
    const { marks, geometry, state } = this.board;
    const chosen = state.selectable ? state.picked : this.chosen;
    const targets = state.selectable ?? [...new Set(this.#legal.filter((one) => one.from === this.chosen && one.to).map((one) => one.to))];
    marks.showChosen(chosen && geometry.cells.has(chosen) ? [chosen] : []);
    marks.showHints(targets);
    marks.showStrengths([...this.#capturesFrom(this.chosen), ...this.#refusedFrom(this.chosen)]);
    const [origin] = this.plan ?? [];
    const placed = origin && !geometry.cells.has(origin) ? origin : null;
    marks.showPlan((this.plan ?? []).filter((one) => geometry.cells.has(one)), placed);
    this.board.tell("chosen", this.chosen);
    this.board.tell("plan", this.plan);
    return targets;
  }

  /** The board shows another position, or others may act: what is chosen stays where that makes sense. */
  renew(moved) {
    const held = this.chosen !== null && !this.board.geometry.cells.has(this.chosen);
    if (moved && !((this.#planning || held) && this.chosen && this.begins(this.chosen))) this.chosen = null;
    const planned = this.plan;
    if (planned && !this.#planning) {
      this.plan = null;
      const found = this.#between(...planned);
      if (found.length) return this.#pick(found, planned[1]);
      if (this.#legal.length) this.board.tell("dropped", planned);
    }
    this.show();
  }

  #refusedFrom(origin) {
    return this.#legal.length ? this.board.state.refused.filter((one) => one.from === origin) : [];
  }

  #capturesFrom(origin) {
    return this.#legal.length ? this.board.state.captures.filter((one) => one.from === origin) : [];
  }

  /** Tell of a capture that fails; the piece stays chosen. Returns whether these two cells are one. */
  #refuse(from, to) {
    const found = this.#refusedFrom(from).find((one) => one.to === to);
    if (!found) return false;
    if (this.chosen !== from) this.choose(from);
    this.board.tell("refused", found);
    return true;
  }

  #between(from, to) {
    return this.#legal.filter((one) => one.from === from && one.to === to);
  }

  /** A cell was clicked, or chosen by the keys: an action ends here, or begins here. */
  reach(name) {
    const { state } = this.board;
    if (state.viewOnly) return;
    if (state.selectable) return this.board.tell("select", name);
    if (this.#postpone(() => this.reach(name))) return;
    const { chosen } = this;
    if (chosen !== null && chosen !== name) {
      if (this.#planning) return this.#plan(chosen, name);
      const found = this.#between(chosen, name);
      if (found.length) return this.#pick(found, name);
      if (this.#refuse(chosen, name)) return;
    }
    this.toggle(name);
  }

  /** A piece was dragged to a cell, or beside the board (null); on its own cell it stays chosen. */
  put(from, name) {
    if (name === from || this.#postpone(() => this.put(from, name))) return;
    if (name && this.#planning) return this.#plan(from, name);
    const found = this.#between(from, name);
    if (found.length) return this.#pick(found, name);
    if (this.#refuse(from, name)) return;
    this.choose(null);
    // Told all the same, so that the refusal explains itself.
    if (name && this.board.geometry.cells.has(from)) this.board.tell("attempt", from + name);
  }

  #plan(from, to) {
    this.plan = [from, to];
    this.#keep(from);
    this.board.say(gettext("{from} to {to} is planned for your turn", { from, to }));
  }

  /** Play the one action, or ask beside the cell which of several is meant. */
  async #pick(found, cell) {
    let [action] = found;
    if (found.length > 1) {
      const { key } = this.board;
      const options = found.map((one) => ({ value: one.action, label: one.label ?? one.san }));
      const meant = await ask(gettext("Which action?"), options, { beside: this.board.ground.boxOf(cell) });
      if (this.board.key !== key) return;
      action = found.find((one) => one.action === meant);
    }
    this.#keep(action?.kind === "drop" ? action.from : null);
    if (action) this.board.tell("action", action);
  }

  /** After it was placed, a kind in hand stays chosen, for the next of it; a cell does not. */
  #keep(origin) {
    const held = origin !== null && !this.board.geometry.cells.has(origin);
    this.choose(null);
    if (!held) return;
    this.chosen = origin;
    this.kept = true;
    this.show();
  }
}
