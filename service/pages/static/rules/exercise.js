// An example of the rules as a board to play on. Both sides are the reader's, and the beginning is always a click
// away. The service judges: it says which actions a position has, and why another is none.

import { mountBoard } from "../board/board.js";
import { Bars } from "../game/bars.js";
import { gettext } from "../language.js";

const PAUSE = 700;

/** An example's board, and what is around it in its figure. */
export class Exercise {
  /** Put a board in the place of a figure's picture; the promise fails if the service does not answer. */
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
  }

  /** Show the beginning, with what the example points out. */
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

  /** Show a legal action at once, and then what the service makes of it. */
  #play(action) {
    this.board.set({ standing: placeBehind(this.board, this.shown.position.fen, action), legal: [], shapes: [] });
    return this.#step(action.action);
  }

  /** What is not legal is explained: by the example itself, or by the service. */
  #attempt(action) {
    const reason = this.shown === this.start && this.reasons[action];
    if (reason) this.#tell(explain(`${reason}.`));
    else this.#step(action);
  }

  /** Have an action played; what is refused is told with its reason, and the board stays as it was. */
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

  /** Play a line from the beginning, action by action, until the reader does something else. */
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

/** What stands where behind a legal action of a position. */
export function placeBehind(board, fen, { kind, from, to, changes }) {
  const standing = board.geometry.place(fen);
  const effect = changes ?? (kind === "drop" ? { [to]: from } : { [from]: null, [to]: standing.get(from) });
  for (const [cell, letter] of Object.entries(effect)) {
    if (letter) standing.set(cell, letter);
    else standing.delete(cell);
  }
  return standing;
}

/** Buttons for those of the actions that lead nowhere on the board. */
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

/** What is said of an action that is not legal. */
export const explain = (reason) => gettext("Not possible: {reason}", { reason });

/** The reason of a refusal for a reader: without the action that it begins with, and those that come nearest. */
export function sentence({ detail, token, nearest = [] }) {
  const hint = gettext("; nearest: {actions}", { actions: nearest.join(", ") });
  return `${detail.replace(`${token}: `, "").replace(hint, "")}.`;
}

/** The position of a FEN, or the one behind an action; the promise fails with the `detail` of a refusal, what was refused as `token`, and legal ones as `nearest`. */
async function fetchPosition(variant, fen, action = null) {
  const asked = new URLSearchParams({ fen, ...(action && { action }) });
  const answer = await fetch(`/api/v1/variants/${variant}/position?${asked}`, { headers: { Accept: "application/json" } });
  const told = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(told.title), { detail: told.detail, token: told.token, nearest: told.nearest });
  return told;
}
