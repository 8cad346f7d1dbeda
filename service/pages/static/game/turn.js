// The line above the board: whose turn it is and what to do, or how the game has ended. The words come from
// service/pages/turn.py.

import { gettext } from "../language.js";

const KINDS = ["move", "drop", "deed"];

/** Whether the board shows the end of the game. */
const isOver = ({ newest, position, aside }) => newest.status === "finished" && position.ply === newest.ply && !aside;

/** Whether the reader still has to make a secret choice. */
const isDue = ({ newest, own }) => own.some((side) => !newest.choices[side]?.commitment);

/** The line above a game's board; `words` came with the page, `place` is the element of the position. */
export class Turn {
  constructor(place, words) {
    this.place = place;
    this.words = words;
    /** The plan in words, or null. */
    this.plan = null;
    this.told = null;
    /** Whether the rest of the hand is being placed at random. */
    this.placing = false;
  }

  /** Show, or stop showing, that the page places the rest of the hand. */
  placeRest(on, state) {
    if (this.placing === on) return;
    this.placing = on;
    this.show(state);
  }

  /** Show a note instead of the task until the position changes. */
  note(text) {
    this.told = { text, fen: null };
  }

  /** Describe a state of the game. */
  show(state) {
    const { newest, position } = state;
    // An action that is not answered yet changes nothing in this line.
    if (state.ahead && state.follows && !this.plan) return;
    const whose = this.#whose(state);
    const cells = position.threatened.join(", ");
    const alarm = cells && !isOver(state) ? gettext("threatened: {cells}", { cells }) : "";
    if (this.told) this.told.fen ??= newest.position.fen;
    if (this.told && this.told.fen !== newest.position.fen) this.told = null;
    const told = this.told && state.follows ? this.told.text : "";
    this.#write(whose, alarm, this.plan || told || this.#task(state));
    const played = position.played ? `${position.played}. ` : "";
    this.place.dataset.said = played + [whose, alarm, told, this.#deeds(state)].filter(Boolean).join("; ");
  }

  #whose(state) {
    const { newest, position } = state;
    const { ends, reasons, turn, waiting, choosing } = this.words;
    const { status, result, termination } = newest;
    if (isOver(state)) return ends[result] + (termination ? `: ${reasons[termination]}` : "");
    if (status === "choosing" && isDue(state)) return choosing;
    if (waiting[status]) return waiting[status];
    return state.turn && state.follows && state.own.length === 1 ? turn : position.turn;
  }

  #task({ newest, follows, own, turn, plans, legal, hand }) {
    const { tasks } = this.words;
    if (newest.status === "choosing") return isDue({ newest, own }) ? tasks.choose : own.length ? tasks.chosen : "";
    if (!follows || own.length !== 1) return "";
    if (this.placing) return gettext("Placed at random: {count} left.", { count: hand.length });
    if (turn) return tasks[KINDS.find((kind) => legal.some((one) => one.kind === kind))] ?? "";
    return plans ? tasks.plan : "";
  }

  /** The actions that only buttons offer, for screen readers, whose users do not see the buttons appear. */
  #deeds({ turn, legal }) {
    const labels = turn ? legal.filter((one) => one.kind === "deed").map((one) => one.label ?? one.san) : [];
    return labels.length ? gettext("you can also: {actions}", { actions: labels.join(", ") }) : "";
  }

  #write(whose, alarm, task) {
    const line = this.place.querySelector(".turn");
    const first = line.querySelector(".whose");
    if (first.textContent !== whose) first.textContent = whose;
    const warned = line.querySelector(".alarm");
    warned.textContent = alarm;
    warned.hidden = !alarm;
    const second = line.querySelector(".task");
    if (second.textContent !== task) second.textContent = task;
  }
}
