// The chosen origin on a board and its targets: two cells make one of the legal actions. There are no rules here.
// Out of turn, two cells make a plan, which is played when the turn comes if it is legal then.

import { ask } from "../ask.js";
import { gettext } from "../language.js";

/** How many inputs are kept while the board is waiting. */
const MOST_LATER = 12;

/** @typedef {{action: string, san: string, from: string?, to: string?, kind: string, label?: string, lasting?: boolean,
 *   changes?: Object<string, string?>}} Action an origin (`from`) is a cell, or a letter in hand */

/** The selection on a board. */
export class Selection {
  constructor(board) {
    this.board = board;
    this.chosen = null;
    this.plan = null;
    /** Whether the origin was chosen out of turn. */
    this.early = false;
    /** Whether the origin stayed chosen by itself after an action: then the next click on it does not deselect it. */
    this.kept = false;
    /** Inputs made while the board was waiting. */
    this.later = [];
  }

  get #legal() {
    return this.board.state.legal;
  }

  /** Whether plans may be made: `plans` names a side, and there is no legal action yet. */
  get #planning() {
    return this.board.state.plans !== null && !this.#legal.length;
  }

  /** Whether an action or a plan can begin at a cell or with a letter in hand. */
  begins(origin) {
    const { state, geometry, pieces } = this.board;
    if (state.viewOnly || state.selectable) return false;
    if (state.waiting) return pieces.standing.has(origin) || !geometry.cells.has(origin);
    if (!this.#planning) return this.#legal.some((one) => one.from === origin);
    const cell = geometry.cells.has(origin);
    if (cell) return pieces.sideOf(origin) === state.plans;
    return geometry.figure(origin, null).side === state.plans && (state.hand?.includes(origin) ?? true);
  }

  /** Choose the origin of an action, or null for none. */
  choose(origin) {
    this.kept = false;
    this.chosen = origin;
    this.early = this.#planning;
    const targets = this.show();
    if (origin === null) return;
    const strengths = ({ to, attack, defence }) => gettext("{to} ({attack} against {defence})", { to, attack, defence });
    const captures = new Map(this.#capturesFrom(origin).map((one) => [one.to, strengths(one)]));
    const refused = this.#refusedFrom(origin).filter((one) => one.verdict === "too weak").map(strengths);
    const said = [targets.map((to) => captures.get(to) ?? to).join(", "), refused.length ? gettext("not strong enough for {cells}", { cells: refused.join(", ") }) : ""].filter(Boolean);
    this.board.say(said.length ? `${origin}: ${said.join("; ")}` : origin);
  }

  /** Keep an input for later if the board is waiting; returns whether it is. */
  #postpone(deed) {
    const { waiting } = this.board.state;
    if (waiting && this.later.length < MOST_LATER) this.later.push(deed);
    return waiting;
  }

  /** Carry out the inputs made while the board was waiting. */
  catchUp() {
    for (const deed of this.later.splice(0)) deed();
  }

  /** Choose an origin, or deselect it. */
  toggle(origin) {
    if (this.#postpone(() => this.toggle(origin))) return;
    this.cancel();
    this.choose((this.kept || this.chosen !== origin) && this.begins(origin) ? origin : null);
  }

  /** Drop the selection and the plan. */
  clear() {
    this.later = [];
    this.cancel();
    this.choose(null);
  }

  /** Drop the plan. */
  cancel() {
    if (!this.plan) return;
    this.plan = null;
    this.show();
    this.board.say(gettext("The planned action is cancelled."));
  }

  /** Show the selection and its targets; returns the targets. */
  show() {
    const { marks, geometry, state } = this.board;
    const chosen = state.selectable ? state.picked : this.chosen;
    const targets = state.selectable ?? [...new Set(this.#legal.filter((one) => one.from === this.chosen && one.to).map((one) => one.to))];
    marks.showChosen(chosen && geometry.cells.has(chosen) ? [chosen] : []);
    marks.showHints(targets);
    marks.showStrengths([...this.#capturesFrom(this.chosen), ...this.#refusedFrom(this.chosen)]);
    const plan = state.keepsPlan ? [] : (this.plan ?? []);
    const [origin] = plan;
    const placed = origin && !geometry.cells.has(origin) ? origin : null;
    marks.showPlan(plan.filter((one) => geometry.cells.has(one)), placed);
    this.board.tell("chosen", this.chosen);
    this.board.tell("plan", this.plan);
    return targets;
  }

  /** The state of the board has changed: keep the selection where that makes sense, and keep the plan, play it or drop it. */
  renew(moved) {
    const held = this.chosen !== null && !this.board.geometry.cells.has(this.chosen);
    if (moved && !((this.#planning || held || this.early) && this.chosen && this.begins(this.chosen))) this.chosen = null;
    const planned = this.plan;
    if (planned && !this.#planning && !this.board.state.keepsPlan) {
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

  /** Report a failing capture and keep the piece chosen. Returns whether these cells are such a capture. */
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

  /** A cell was clicked or chosen by key: an action ends or begins there. */
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

  /** A piece was dragged to a cell, or off the board (null); dropped on its own cell, it stays chosen. */
  put(from, name) {
    if (name === from || this.#postpone(() => this.put(from, name))) return;
    if (name && this.#planning) return this.#plan(from, name);
    const found = this.#between(from, name);
    if (found.length) return this.#pick(found, name);
    if (this.#refuse(from, name)) return;
    this.choose(null);
    // Sent although it is illegal, so that the service explains why.
    if (name && this.board.geometry.cells.has(from)) this.board.tell("attempt", from + name);
  }

  #plan(from, to) {
    this.plan = [from, to];
    this.#keep(from);
    this.board.say(gettext("{from} to {to} is planned for your turn", { from, to }));
  }

  /** Play the action found; if there are several, ask next to the cell which is meant. */
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

  /** After a placement the kind in hand stays chosen, for the next piece of it; a cell does not. */
  #keep(origin) {
    const held = origin !== null && !this.board.geometry.cells.has(origin);
    this.choose(null);
    if (!held) return;
    this.chosen = origin;
    this.kept = true;
    this.show();
  }
}
