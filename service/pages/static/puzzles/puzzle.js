// A puzzle solved on the board. The service judges each action, replies to it and rates the first attempt. The page's
// forms, which otherwise load pages, do the same in place here.

import { mountBoard } from "../board/board.js";
import { repeatEarlyClicks } from "../board/early_clicks.js";
import { Bars } from "../game/bars.js";
import { gettext, language } from "../language.js";
import { csrf } from "../page.js";
import { explain, placeBehind, sentence, showDeeds } from "../rules/exercise.js";

const PAUSE = 600;

/** A puzzle's board and the rest of its figure. */
export class Puzzle {
  /** Replace a figure's picture with a board; rejects if the service does not answer. */
  static async open(figure) {
    const { variant, puzzle, played } = figure.dataset;
    const own = played.split(" ").filter(Boolean);
    const [board, shown] = await Promise.all([
      mountBoard(figure.querySelector(".ground"), { variant, root: figure }),
      sendTry(puzzle, own),
    ]);
    return new Puzzle(figure, board, shown, own);
  }

  constructor(figure, board, shown, own) {
    this.figure = figure;
    this.board = board;
    this.own = own;
    this.run = 0;
    /** Whether the newest action is right, once it is known; null while no action is being judged. */
    this.judged = null;
    this.bars = new Bars(figure, board);
    this.status = figure.querySelector(".status");
    this.line = figure.querySelector(".line");
    this.deeds = figure.querySelector(".deeds");
    this.rated = figure.querySelector(".rated");
    this.source = figure.querySelector(".source");
    board.on("action", (action) => this.#play(action));
    board.on("attempt", (text) => this.#try(text));
    board.on("say", (text) => this.#tell(text));
    board.on("chosen", (origin) => this.bars.press(origin));
    this.deeds.addEventListener("click", ({ target }) => target.value && this.#try(target.value));
    figure.querySelector("form.answer")?.addEventListener("submit", (event) => this.#type(event));
    figure.querySelector("form.help")?.addEventListener("submit", (event) => this.#help(event));
    this.#show(shown);
    repeatEarlyClicks(board.frame);
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
    if (shown.attempt) this.figure.querySelector(".cost")?.remove();
    this.#tellGame(shown.game);
  }

  /** Link to the puzzle's game, once the service sends it because it no longer gives the solution away. */
  #tellGame(game) {
    this.source.hidden = !game;
    if (game) this.source.querySelector("a").href = `/games/${game.id}?ply=${game.ply}`;
  }

  #word({ side, san }) {
    const word = document.createElement("span");
    word.className = side === this.figure.dataset.side ? "own" : "reply";
    word.textContent = san;
    return word;
  }

  /** Show a legal action at once, then the service's judgement. */
  #play(action) {
    this.board.set({ standing: placeBehind(this.board, this.shown.position.fen, action), legal: [], shapes: [] });
    return this.#try(action.action, PAUSE);
  }

  /**
   * Have an action judged after those before it, unless one of these was wrong. Returns whether the action was right;
   * calls `putBack` if it could not be judged.
   */
  async #try(action, pause = 0, putBack = () => {}) {
    const earlier = this.judged ?? Promise.resolve(true);
    const judged = earlier.then((right) => right && this.#send(action, pause, putBack));
    this.judged = judged;
    const right = await judged;
    if (this.judged === judged) this.judged = null;
    return right;
  }

  /** Send an action; for an illegal one, show the reason. Returns whether the action was right. */
  async #send(action, pause, putBack) {
    if (this.shown.standing === "solved") return false;
    const run = ++this.run;
    const before = this.shown;
    try {
      const [found] = await Promise.all([sendTry(this.figure.dataset.puzzle, [...this.own, action]), wait(pause)]);
      if (run !== this.run) return false;
      this.#show(found);
      this.#judge(found, action);
      return found.standing !== "wrong";
    } catch (refused) {
      if (run !== this.run) return false;
      this.#show(before);
      putBack();
      this.#tell(refused.detail ? explain(sentence(refused)) : gettext("no answer; try again"));
      return false;
    }
  }

  #judge({ standing, wrong, attempt }, action) {
    if (attempt) this.rated.textContent = describe(attempt);
    if (standing === "wrong") return this.#tell(gettext("{action} is not the best action. Try another one.", { action: wrong }));
    this.own = [...this.own, action];
    for (const field of this.figure.querySelectorAll('[name="played"]')) field.value = this.own.join(" ");
    // After solving with the keyboard, Enter leads to the next puzzle.
    if (standing === "solved") this.figure.querySelector(".next").focus({ preventScroll: true });
    return this.#tell(standing === "solved" ? gettext("Solved.") : gettext("Right. Go on."));
  }

  #type(event) {
    event.preventDefault();
    const field = event.target.elements.action;
    const text = field.value.trim();
    field.value = "";
    this.#try(text, 0, () => (field.value ||= text));
  }

  async #help(event) {
    event.preventDefault();
    const help = event.submitter?.value ?? "hint";
    await this.judged;
    const run = ++this.run;
    const { puzzle, side } = this.figure.dataset;
    const given = await fetchHelp(puzzle, this.own, help).catch(() => null);
    if (run !== this.run) return;
    if (!given) {
      this.#tell(gettext("no answer; try again"));
      return;
    }
    this.rated.textContent = given.found.attempt ? describe(given.found.attempt) : "";
    if (help === "hint") this.#hint(given.found);
    else await this.#solve(given.line.filter((one) => one.side === side).map((one) => one.action).slice(this.own.length));
  }

  /** Point out the cell where the next action begins, or say that it does not begin on the board. */
  #hint(found) {
    const from = found.hint;
    this.#show(found, from ? [{ from }] : []);
    this.#tell(from ? gettext("Look at {cell}.", { cell: from }) : gettext("The action does not start on the board."));
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

/** Describe the reader's first attempt and its effect on the rating. */
function describe({ solved, rating }) {
  const how = solved ? gettext("Solved at the first attempt.") : gettext("Not solved at the first attempt.");
  if (!rating) return how;
  const write = new Intl.NumberFormat(language());
  const points = Math.round(rating.after) - Math.round(rating.before);
  const change = `${points < 0 ? "\u2212" : "+"}${write.format(Math.abs(points))}`;
  const now = gettext("Your puzzle rating: {rating} ({change}).", { rating: write.format(Math.round(rating.after)), change });
  return `${how} ${now}`;
}

/** Fetch the state of a puzzle after the solver's actions, with the help asked for then. */
const sendTry = (puzzle, actions, help = null) => fetchJson(`/api/v1/puzzles/${puzzle}/attempts`, {
  method: "POST",
  headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRF-Token": csrf() },
  body: JSON.stringify({ actions, help }),
});

/** Fetch the state of a puzzle after asking for help, and the line that was asked for. */
async function fetchHelp(puzzle, actions, help) {
  const found = await sendTry(puzzle, actions, help);
  const { line } = help === "solution" ? await fetchJson(`/api/v1/puzzles/${puzzle}/solution`) : { line: [] };
  return { found, line };
}

/** The service's answer; a refusal rejects with its `detail`, the refused `token` and the `nearest` legal actions. */
async function fetchJson(path, how = { headers: { Accept: "application/json" } }) {
  const answer = await fetch(path, how);
  const told = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(told.title), { detail: told.detail, token: told.token, nearest: told.nearest });
  return told;
}
