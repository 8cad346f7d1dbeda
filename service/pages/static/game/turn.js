// The line above the board: whose turn it is and what there is to do, or how the game has ended. The words are
// those of service/pages/turn.py.

import { gettext } from "../language.js";

const KINDS = ["move", "drop", "deed"];

/** Whether the board shows the end of the game. */
const isOver = ({ newest, position, aside }) => newest.status === "finished" && position.ply === newest.ply && !aside;

/** Whether the reader has yet to choose in secret. */
const isDue = ({ newest, own }) => own.some((side) => !newest.choices[side]?.commitment);

/** The line above a game's board; `words` are what the page has told, `place` the element of the position. */
export class Turn {
  constructor(place, words) {
    this.place = place;
    this.words = words;
    /** What is planned, in words, null for nothing. */
    this.plan = null;
    this.told = null;
    /** Whether what is left in hand is being placed by chance. */
    this.placing = false;
  }

  /** Say, or say no longer, that the page places what is left in hand. */
  placeRest(on, state) {
    if (this.placing === on) return;
    this.placing = on;
    this.show(state);
  }

  /** Have something be said in the place of what there is to do, until the position changes. */
  note(text) {
    this.told = { text, fen: null };
  }

  /** Show what is to be said of a state of the game. */
  show(state) {
    const { newest, position } = state;
    // An action that has no answer yet changes nothing of what was asked for.
    if (state.ahead && state.follows && !this.plan) return;
    const whose = this.#whose(state);
    const cells = position.threatened.join(", ");
    const alarm = cells && !isOver(state) ? gettext("threatened: {cells}", { cells }) : "";
    if (this.told) this.told.fen ??= newest.position.fen;
    if (this.told && this.told.fen !== newest.position.fen) this.told = null;
    const told = this.told && state.follows ? this.told.text : "";
    this.#write(whose, alarm, (state.plans && this.plan) || told || this.#task(state));
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

  /** The actions that only buttons lead to, for those who see no buttons appear. */
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
