// An example of the rules as a board to play on. The reader plays both sides and can return to the start at any time.
// The service says which actions are legal, and why another one is not.

import { mountBoard } from "../board/board.js";
import { repeatEarlyClicks } from "../board/early_clicks.js";
import { Bars } from "../game/bars.js";
import { gettext } from "../language.js";

const PAUSE = 700;

/** An example's board and the rest of its figure. */
export class Exercise {
  /** Replace a figure's picture with a board; rejects if the service does not answer. */
  static async open(figure) {
    const { variant, fen } = figure.dataset;
    const [board, start] = await Promise.all([
      mountBoard(figure.querySelector(".ground"), { variant, root: figure }),
      fetchPosition(variant, fen),
    ]);
    return new Exercise(figure, board, start);
  }

  constructor(figure, board, start) {
    this.figure = figure;
    this.board = board;
    this.start = start;
    this.below = figure.dataset.below;
    this.reasons = JSON.parse(figure.dataset.reasons);
    this.run = 0;
    this.bars = new Bars(figure, board);
    this.status = figure.querySelector(".status");
    this.deeds = figure.querySelector(".deeds");
    board.on("action", (action) => this.#play(action));
    board.on("attempt", (text) => this.#attempt(text));
    board.on("say", (text) => this.#tell(text));
    board.on("chosen", (origin) => this.bars?.press(origin));
    figure.addEventListener("click", (event) => this.#clicked(event));
    for (const tool of figure.querySelectorAll("[data-tool]")) tool.hidden = false;
    this.#begin();
    repeatEarlyClicks(board.frame);
  }

  /** Show the start, with the cells that the example points out. */
  #begin() {
    this.run += 1;
    this.#show(this.start, this.figure.dataset.targets.split(" ").filter(Boolean));
    this.#tell(this.start.position.turn);
  }

  #show(found, targets = []) {
    const { position, actions, captures = [] } = found;
    this.shown = found;
    const shapes = targets.map((from) => ({ from }));
    this.board.set({ position, legal: actions, captures, orientation: this.below, shapes, viewOnly: false });
    const hands = position.trays.filter((one) => one.in_hand);
    const points = this.figure.dataset.points ? position.points : null;
    this.bars.show({ points, trays: hands }, position.to_act, position.to_act);
    showDeeds(this.deeds, actions);
  }

  /** Show a legal action at once, then the service's answer. */
  #play(action) {
    this.board.set({ standing: placeBehind(this.board, this.shown.position.fen, action), legal: [], shapes: [] });
    return this.#step(action.action);
  }

  /** Explain an illegal action: with the example's own reason, or with the service's. */
  #attempt(action) {
    const reason = this.shown === this.start && this.reasons[action];
    if (reason) this.#tell(explain(`${reason}.`));
    else this.#step(action);
  }

  /** Play an action; if it is refused, show the reason and leave the board as it was. Returns whether it was played. */
  async #step(action) {
    const run = ++this.run;
    const { position } = this.shown;
    let found = this.shown;
    let said = gettext("no answer; try again");
    try {
      found = await fetchPosition(this.board.geometry.variant, position.fen, action);
      said = found.position.said;
    } catch (refused) {
      if (refused.detail) said = explain(sentence(refused));
    }
    if (run !== this.run) return false;
    this.#show(found);
    this.#tell(said);
    return found.position !== position;
  }

  /** Play a line from the start, action by action, until the reader does something else. */
  async #playLine(actions) {
    this.#begin();
    for (const [at, action] of actions.entries()) {
      const { run } = this;
      if (at) await new Promise((done) => setTimeout(done, PAUSE));
      if (run !== this.run || !(await this.#step(action))) return;
    }
  }

  #clicked(event) {
    const line = event.target.closest("a.try");
    const deed = event.target.closest(".deeds button");
    const tool = event.target.closest("[data-tool]")?.dataset.tool;
    if (line && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      this.#playLine(line.dataset.play.split(" "));
    } else if (deed) this.#step(deed.value);
    else if (tool === "again") this.#begin();
    else if (tool === "turn") this.#turn();
  }

  #turn() {
    this.below = this.below === "first" ? "second" : "first";
    this.figure.dataset.below = this.below;
    this.board.set({ orientation: this.below });
  }

  #tell(text) {
    this.status.textContent = text;
  }
}

/** The letters by cell after a legal action. */
export function placeBehind(board, fen, { kind, from, to, changes }) {
  const standing = board.geometry.place(fen);
  const effect = changes ?? (kind === "drop" ? { [to]: from } : { [from]: null, [to]: standing.get(from) });
  for (const [cell, letter] of Object.entries(effect)) {
    if (letter) standing.set(cell, letter);
    else standing.delete(cell);
  }
  return standing;
}

/** Show buttons for the actions without a target on the board. */
export function showDeeds(place, actions) {
  place.replaceChildren(
    ...actions
      .filter((one) => one.to === null)
      .map((one) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "second";
        button.value = one.action;
        button.textContent = one.label ?? one.san;
        return button;
      }),
  );
}

/** The sentence about an illegal action. */
export const explain = (reason) => gettext("Not possible: {reason}", { reason });

/** The reason of a refusal, without the action that it begins with and the nearest legal ones. */
export function sentence({ detail, token, nearest = [] }) {
  const hint = gettext("; nearest: {actions}", { actions: nearest.join(", ") });
  return `${detail.replace(`${token}: `, "").replace(hint, "")}.`;
}

/** The position of a FEN, or the one after an action; a refusal rejects with its `detail`, the refused `token` and the `nearest` legal actions. */
async function fetchPosition(variant, fen, action = null) {
  const asked = new URLSearchParams({ fen, ...(action && { action }) });
  const answer = await fetch(`/api/v1/variants/${variant}/position?${asked}`, { headers: { Accept: "application/json" } });
  const told = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(told.title), { detail: told.detail, token: told.token, nearest: told.nearest });
  return told;
}
