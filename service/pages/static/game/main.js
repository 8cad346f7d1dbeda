// A game's page: the board, everything around it, and the game's stream. Each new ply is one message of the stream;
// the page itself is loaded again only if something else has changed (an offer, the end, an annotation).

import { mountBoard } from "../board/board.js";
import { repeatEarlyClicks } from "../board/early_clicks.js";
import { tellConnection } from "../connection.js";
import { isTyped } from "../kept.js";
import { gettext } from "../language.js";
import { announce, load, show } from "../page.js";
import { settled } from "../steady.js";
import { Acting } from "./acting.js";
import { Bars } from "./bars.js";
import { Clocks } from "./clocks.js";
import { append } from "./moves.js";
import { notice } from "./notice.js";
import { Planning } from "./planning.js";
import { Positions } from "./positions.js";
import { Replay } from "./replay.js";
import { SecretChoice } from "./secret_choice.js";
import { Sideline } from "./sideline.js";
import { Sound } from "./sound.js";
import { GameState } from "./state.js";
import { GameStream } from "./stream.js";
import { Turn } from "./turn.js";

const OPEN = ["offered", "choosing", "running"];
const SETTLED = 150;
const AGAIN = 1500;

const part = (id) => document.getElementById(id);
const told = () => JSON.parse(part("told").textContent);

/**
 * A key for the parts of the page beside the board and the list: if a ply leaves it the same, these stay. The ply counts
 * up to 2, because players may ask for a takeback only after their first action.
 */
const panelOf = ({ status, result, termination, draw_offer: draw, retraction, choices, ply }) =>
  JSON.stringify([status, result, termination, draw, retraction, choices, Math.min(ply, 2)]);

/** Make the page's game live; rejects, and the page stays as it came, if the service does not answer. */
export async function startGame() {
  const place = document.querySelector("#board .position");
  const first = told();
  const { variant } = first;
  const page = new GamePage(place, first);
  page.board = await mountBoard(place.querySelector(".frame"), { variant, root: place });
  await page.start(first);
}

class GamePage {
  constructor(place, { id, own, variant }) {
    this.place = place;
    this.id = id;
    this.state = new GameState(own, variant, () => this.render());
    this.positions = new Positions(id);
    this.below = place.dataset.below;
    /** Whether the reader has chosen the side at the bottom; otherwise it is their own. */
    this.flipped = new URLSearchParams(location.search).has("below");
  }

  async start(first) {
    const { board, state, positions } = this;
    positions.keep(first.position);
    const looked = first.position.ply === first.ply ? null : first.position;
    if (looked) await positions.fetch(first.ply);
    this.bars = new Bars(this.place, board);
    this.clocks = new Clocks(this.place);
    this.turn = new Turn(this.place, first.words);
    this.sound = new Sound(part("sound"));
    this.acting = new Acting(this);
    this.choice = new SecretChoice(board);
    this.sideline = new Sideline(this.id, state, (ply, position) => this.leave(ply, position));
    this.replay = new Replay(state, { look: (ply) => this.look(ply), flip: () => this.flip(), aside: this.sideline });
    board.on("say", announce);
    board.on("chosen", (origin) => this.bars.press(origin));
    new Planning(this);
    document.addEventListener("shown", () => this.#adopt());
    document.addEventListener("toggle", (event) => this.#opened(event), true);
    if (looked) Object.assign(state, { looking: looked.ply, looked });
    state.take({ ...first, position: positions.get(first.ply) });
    this.stream = new GameStream(this.id, {
      heard: (message) => this.hear(message),
      over: () => !OPEN.includes(state.newest.status),
      own: () => state.own.length === 1,
      renew: () => this.renew(),
      say: tellConnection,
    });
    this.stream.connect();
    repeatEarlyClicks(this.place);
    (globalThis.requestIdleCallback ?? setTimeout)(() => positions.fetch(this.replay.at).catch(() => {}));
  }

  /** Show the state: first the board, then everything around it. */
  render() {
    const { state, board, place, below } = this;
    const { newest, ahead, position } = state;
    const standing = ahead && state.follows ? state.standingAhead(board.geometry.place(newest.position.fen)) : null;
    const shown = standing ? { ...position, last: [ahead.from, ahead.to].filter(Boolean), threatened: [], marked: [] } : position;
    Object.assign(place.dataset, { ply: position.ply + (standing ? 1 : 0), fen: position.fen, below });
    const { legal } = state;
    const changed = board.set({ position: shown, standing, legal, captures: state.captures, refused: state.refused, plans: state.plans, keepsPlan: state.keepsPlan, hand: state.hand, waiting: state.awaits, orientation: below });
    this.bars.show(position, legal.length ? newest.to_act : state.plans, state.follows && newest.status === "running" && !ahead ? newest.to_act : null);
    const clocks = state.follows ? newest.clocks : this.#clocksAt(position);
    this.clocks.show(clocks ?? null, state.follows && newest.status === "running", newest.ahead);
    this.turn.show(state);
    if (state.aside) place.dataset.leaves = this.replay.at;
    else delete place.dataset.leaves;
    this.replay.mark(position, below);
    this.sideline.mark();
    this.acting.show(legal, state);
    this.choice.show();
    notice(state.turn);
    return changed;
  }

  #clocksAt({ clocks_ms: left }) {
    return left ? { first_ms: left[0], second_ms: left[1], running: null } : null;
  }

  /** Handle a message of the stream: the present state of the game. */
  hear(message) {
    const { state } = this;
    const before = state.newest;
    if (message.version < before.version) return;
    const own = state.ahead !== null;
    const moved = message.ply !== before.ply || message.status !== before.status;
    this.#take(message);
    if (moved && state.follows) this.#tell(message, own);
    const next = message.version === this.shownVersion + 1 && message.ply === before.ply + 1;
    if (next && panelOf(message) === panelOf(before)) this.#step(before, message);
    else if (message.version > this.shownVersion) this.refresh();
  }

  /** Take a state of the game. Unless it is the next one, actions may have been taken back, or more of the game is now public. */
  #take(told) {
    const { state, positions } = this;
    const { version, ply, status } = state.newest;
    // What was planned after an action that is taken back was meant for another position.
    if (told.ply < ply) this.board.selection.clear();
    const forgets = told.version > version + 1 || told.ply < ply || told.status !== status;
    if (forgets) positions.forget();
    positions.keep(told.position);
    // A planned action is played in the newest position, even if the reader looks at another.
    if (this.board.selection.plan && state.own.includes(told.to_act)) state.follow();
    state.take(told);
    if (forgets && state.looking !== null && !state.aside) this.look(state.looking);
  }

  /** Announce the action played, or the end of the game, and play its sound. */
  #tell({ status, position }, own) {
    announce(this.place.dataset.said);
    if (status === "finished") this.sound.play("end");
    else if (!own) this.sound.play(position.san?.includes("x") ? "capture" : "move");
  }

  get shownVersion() {
    return Number(part("state").dataset.version);
  }

  /** One more ply: append its action to the list, and move the forms to the new version. */
  #step(before, { version, ply, position }) {
    append(before.position, position);
    Object.assign(part("state").dataset, { version, plies: ply });
    for (const field of document.querySelectorAll('#game input[name="expected_version"]')) field.value = version;
    // A player takes back their own last action, with the opponent's after it.
    const ownTurn = this.state.own.includes(before.to_act);
    const takeback = this.state.own.length === 1 && document.querySelector('#game input[name="plies"]');
    if (takeback) takeback.value = ownTurn ? 1 : Number(takeback.value) + 1;
    if (this.state.follows) part("problem").replaceChildren();
    this.replay.mark(this.state.position, this.below);
    // The reader did not leave the action that they annotate.
    this.#settle(!isTyped(part("annotate")));
  }

  /** Load the page from the service until it is as new as the board. */
  async refresh() {
    if (this.refreshing) return;
    this.refreshing = true;
    try {
      while (this.shownVersion < this.state.newest.version) {
        await this.renew().catch(() => new Promise((done) => setTimeout(done, AGAIN)));
        await settled();
      }
    } finally {
      this.refreshing = false;
    }
  }

  async renew(answer = false) {
    const { state, shownVersion } = this;
    const html = await load({ ply: state.follows ? null : state.looking, below: this.flipped ? this.below : null });
    // Meanwhile a form may have been answered, by a newer page.
    if (answer && this.shownVersion > shownVersion) return this.renew(answer);
    show(html, answer);
  }

  /** Parts of the page were replaced: adopt the state that came with them, which may be newer. */
  #adopt() {
    const fresh = told();
    const { state } = this;
    state.own = fresh.own;
    this.turn.words = fresh.words;
    // A reader who has just taken a seat sees their own side at the bottom.
    if (!this.flipped) this.below = fresh.own[0] ?? "first";
    if (fresh.position.ply === fresh.ply && fresh.version >= state.newest.version) {
      this.#take(fresh);
    } else {
      this.positions.keep(fresh.position);
      this.render();
    }
    if (OPEN.includes(state.newest.status) && !this.stream.open) this.stream.connect();
  }

  /** Show the position at a ply. */
  async look(ply) {
    const { state, positions } = this;
    this.wanted = ply;
    if (ply !== state.newest.ply && !positions.get(ply)) {
      try {
        await positions.fetch(ply);
      } catch {
        // Keep the position shown.
        if (this.wanted === ply) {
          this.render();
          announce(gettext("No answer. Try again."));
        }
        return;
      }
      if (this.wanted !== ply || !positions.get(ply)) return;
    }
    if (ply === state.newest.ply) {
      state.follow();
      this.render();
    } else {
      state.look(positions.get(ply));
    }
    announce(this.place.dataset.said);
    part("problem").replaceChildren();
    this.#settle();
    if (ply) positions.fetch(ply - 1).catch(() => {});
  }

  /** Show a position of a line that leaves the game at a ply, or the game's own if null. */
  async leave(ply, position) {
    const { state } = this;
    if (this.replay.at !== ply || !position) await this.look(ply);
    if (!position || this.replay.at !== ply) return;
    state.leave(position);
    announce(this.place.dataset.said);
  }

  flip() {
    this.below = this.below === "first" ? "second" : "first";
    this.flipped = true;
    this.render();
    this.#settle();
  }

  /**
   * Once the reader stays at a position: set its address, and load the other parts of the page about it, with the form
   * that annotates its action if `annotates`.
   */
  #settle(annotates = true) {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      const { state } = this;
      const address = new URL(location.href);
      if (state.looking === null) address.searchParams.delete("ply");
      else address.searchParams.set("ply", state.looking);
      if (this.flipped) address.searchParams.set("below", this.below);
      history.replaceState(null, "", address);
      const listed = document.querySelector(`#moves [data-ply="${Math.max(1, this.replay.at)}"][aria-current], #moves ol:empty`);
      const told = document.querySelector("#evaluation .chart, #annotate[open]");
      if (told || (this.replay.at && !listed)) this.renew(annotates).catch(() => announce(gettext("No answer. Try again.")));
    }, SETTLED);
  }

  /** The annotation form was opened: load the one for the action shown. */
  #opened({ target }) {
    if (target.id !== "annotate" || !target.open || Number(target.dataset.ply) === this.replay.at) return;
    this.renew(true).catch(() => announce(gettext("No answer. Try again.")));
  }
}
