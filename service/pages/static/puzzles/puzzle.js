// A puzzle that is solved on the board. The service judges each action and answers it; the page's own forms do the same
// by loading pages, and here they do it in place.

import { mountBoard } from "../board/board.js";
import { Bars } from "../game/bars.js";
import { gettext } from "../language.js";
import { explain, placeBehind, sentence, showDeeds } from "../rules/exercise.js";

const PAUSE = 600;

/** A puzzle's board, and what is around it in its figure. */
export class Puzzle {
  /** Put a board in the place of a figure's picture; the promise fails if the service does not answer. */
  static async open(figure) {
    const { variant, puzzle, played } = figure.dataset;
    const own = played.split(" ").filter(Boolean);
    const [board, shown] = await Promise.all([
      mountBoard(figure.querySelector(".ground"), { variant, root: figure }),
      fetchTry(puzzle, own),
    ]);
    return new Puzzle(figure, board, shown, own);
  }

  constructor(figure, board, shown, own) {
    this.figure = figure;
    this.board = board;
    this.own = own;
    this.run = 0;
    this.bars = new Bars(figure, board);
    this.status = figure.querySelector(".status");
    this.line = figure.querySelector(".line");
    this.deeds = figure.querySelector(".deeds");
    board.on("action", (action) => this.#play(action));
    board.on("attempt", (text) => this.#try(text));
    board.on("say", (text) => this.#tell(text));
    board.on("chosen", (origin) => this.bars.press(origin));
    this.deeds.addEventListener("click", ({ target }) => target.value && this.#try(target.value));
    figure.querySelector("form.answer")?.addEventListener("submit", (event) => this.#type(event));
    figure.querySelector("form.help")?.addEventListener("submit", (event) => this.#help(event));
    this.#show(shown);
  }

  #show(shown, shapes = []) {
    const { position, actions, captures = [], refused = [], standing } = shown;
    this.shown = shown;
    const solving = standing !== "solved";
    this.board.set({ position, legal: actions, captures, refused, orientation: this.figure.dataset.below, shapes, viewOnly: !solving });
    this.bars.show({ points: this.figure.dataset.points ? position.points : null, trays: position.trays }, position.to_act, position.to_act);
    showDeeds(this.deeds, actions);
    this.line.replaceChildren(...shown.played.flatMap((one) => [this.#word(one), " "]));
    for (const form of this.figure.querySelectorAll("form")) form.hidden = !solving;
  }

  #word({ side, san }) {
    const word = document.createElement("span");
    word.className = side === this.figure.dataset.side ? "own" : "reply";
    word.textContent = san;
    return word;
  }

  /** Show a legal action at once, and then what the service makes of it. */
  #play(action) {
    this.board.set({ standing: placeBehind(this.board, this.shown.position.fen, action), legal: [], shapes: [] });
    return this.#try(action.action, PAUSE);
  }

  /** Have an action judged; one that is not legal is told with its reason. */
  async #try(action, pause = 0) {
    const run = ++this.run;
    const before = this.shown;
    try {
      const [found] = await Promise.all([fetchTry(this.figure.dataset.puzzle, [...this.own, action]), wait(pause)]);
      if (run !== this.run) return false;
      this.#show(found);
      this.#judge(found, action);
      return found.standing !== "wrong";
    } catch (refused) {
      if (run !== this.run) return false;
      this.#show(before);
      this.#tell(refused.detail ? explain(sentence(refused)) : gettext("no answer; try again"));
      return false;
    }
  }

  #judge({ standing, wrong }, action) {
    if (standing === "wrong") return this.#tell(gettext("{action} is not the best action. Try another one.", { action: wrong }));
    this.own = [...this.own, action];
    for (const field of this.figure.querySelectorAll('[name="played"]')) field.value = this.own.join(" ");
    return this.#tell(standing === "solved" ? gettext("Solved.") : gettext("Right. Go on."));
  }

  #type(event) {
    event.preventDefault();
    const field = event.target.elements.action;
    this.#try(field.value.trim());
    field.value = "";
  }

  async #help(event) {
    event.preventDefault();
    const hint = event.submitter?.name === "hint";
    const run = ++this.run;
    const { line } = await fetchJson(`/api/v1/puzzles/${this.figure.dataset.puzzle}/solution`);
    if (run !== this.run) return;
    const own = line.filter((one) => one.side === this.figure.dataset.side).map((one) => one.action);
    const next = own.slice(this.own.length);
    if (hint) this.#hint(next[0]);
    else await this.#solve(next);
  }

  /** Point out where the next action begins, or name it if it begins nowhere on the board. */
  #hint(action) {
    const known = this.shown.actions.find((one) => one.action === action);
    const from = known?.kind === "move" ? known.from : known?.to;
    if (from) this.#show(this.shown, [{ from }]);
    this.#tell(from ? gettext("Look at {cell}.", { cell: from }) : gettext("Look at the buttons."));
  }

  /** Play the rest of the solution, action by action, until the reader does something else. */
  async #solve(actions) {
    for (const action of actions) {
      if (!(await this.#try(action))) return;
      const { run } = this;
      await wait(PAUSE);
      if (run !== this.run) return;
    }
  }

  #tell(text) {
    this.status.textContent = text;
  }
}

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** How a puzzle stands after the solver's actions. */
const fetchTry = (puzzle, own) => fetchJson(`/api/v1/puzzles/${puzzle}/position?${new URLSearchParams({ actions: own.join(" ") })}`);

/** What the service answers; the promise fails with the `detail` of a refusal, what was refused as `token`, and legal ones as `nearest`. */
async function fetchJson(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  const told = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(told.title), { detail: told.detail, token: told.token, nearest: told.nearest });
  return told;
}
