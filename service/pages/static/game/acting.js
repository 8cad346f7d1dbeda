// Playing on a game's page: an action is shown at once and sent; if it is refused, it is taken back with the reason.

import { touches } from "../kept.js";
import { gettext } from "../language.js";
import { announce } from "../page.js";
import { Chance } from "./chance.js";
import { Deeds } from "./deeds.js";
import { Refusals } from "./refusals.js";
import { Sender } from "./sender.js";

const PATIENCE = 4000;
const NO_ANSWER = gettext("no answer; try again");

const form = () => document.getElementById("act");
const field = () => form()?.elements.action;
const problem = () => document.getElementById("problem");
const connection = () => document.getElementById("connection");

/** The reader's actions; `page` is the game's page. */
export class Acting {
  constructor(page) {
    this.page = page;
    this.sender = new Sender(page.id);
    /** What to do once the last action is answered, and the board's key it is meant for. */
    this.next = null;
    /** The ply from which the last action leads on, or null once the game has gone on or will not. */
    this.left = null;
    /** What was entered meanwhile and is sent next if it is still in the field, or null. */
    this.entered = null;
    this.refusals = new Refusals(page.id);
    this.chance = new Chance((action) => this.play(action), (on) => page.turn.placeRest(on, page.state));
    this.deeds = new Deeds(page.board, (action) => this.play(action));
    page.board.on("action", (action) => this.play(action));
    page.board.on("attempt", (text) => this.#inTurn(() => this.#send(text)));
    page.board.on("refused", (capture) => this.refusals.explain(capture, page.state.newest.ply));
    page.board.on("chosen", (origin) => this.deeds.choose(origin));
    document.addEventListener("submit", (event) => this.#submitted(event), true);
    document.addEventListener("click", (event) => this.#named(event));
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#escape(event.target));
  }

  /** Escape drops the selection and the plan; in a question it only means no, and the plan stays. */
  #escape(target) {
    const { selection } = this.page.board;
    // A question that was just answered may still have the focus.
    if (target.closest?.("dialog[open]")) selection.choose(null);
    else selection.clear();
  }

  /** Offer the legal actions in the text field and as buttons. */
  show(legal, state) {
    this.refusals.keep(legal.length ? state.newest.ply : null);
    this.chance.show(state);
    this.deeds.show(legal);
    this.deeds.choose(this.page.board.selection.chosen);
    if (!form()) return;
    // Hidden but not removed, so that nothing moves when the turn changes.
    form().classList.toggle("away", !state.own.includes(state.newest.to_act));
    const list = document.getElementById("legal");
    const actions = state.newest.legal?.actions ?? [];
    if (this.listed !== actions || !list.options.length) list.replaceChildren(...actions.map((one) => new Option(one.san, one.san)));
    this.listed = actions;
    this.#goOn();
  }

  /** Play a legal action: the board shows it before the service answers. */
  play(action) {
    const { state, sound } = this.page;
    if (!state.follows) return;
    this.#inTurn(() => {
      state.play(action);
      sound.play(action.san.includes("x") ? "capture" : "move");
      this.#send(action.action);
    });
  }

  /** Do something at once, or after the last action is answered: the stream may announce the next turn earlier. */
  #inTurn(deed) {
    if (this.sender.busy) this.next = { deed, key: this.page.board.key };
    else deed();
  }

  /** A typed action was submitted with the page's form; it stays in the field until the game has gone on from the last one. */
  #submitted(event) {
    if (event.target !== form()) return;
    event.preventDefault();
    this.entered = field().value;
    this.#goOn();
  }

  /** Send what was entered, unless the game has still to go on from the last action. */
  #goOn() {
    if (this.left !== null && this.page.state.newest.ply !== this.left && !this.sender.busy) this.left = null;
    if (this.entered === null || this.left !== null) return;
    const { entered } = this;
    this.entered = null;
    if (field()?.value === entered) this.#type();
  }

  /** Send what is in the field, which is cleared for the next action. */
  #type() {
    const text = field().value.trim();
    if (!text) return;
    field().value = "";
    const found = this.page.state.legal.find((one) => one.san === text || one.action === text);
    if (found) this.page.state.play(found);
    this.#send(text, true);
  }

  /**
   * The name of an action was clicked: play it, after confirmation if it cannot be undone. One that is not legal in
   * the position shown is put into the field, to be sent from there.
   */
  #named(event) {
    const san = event.target.closest("[data-token]")?.dataset.token;
    if (!san) return;
    const action = this.page.state.legal.find((one) => one.san === san);
    if (action) return this.deeds.commit(action, event);
    if (!field()) return;
    field().value = san;
    (touches() ? form().querySelector("button:not([type=button])") : field()).focus();
  }

  async #send(text, typed = false) {
    if (this.sender.busy) return;
    const { state } = this.page;
    const { ply, version } = state.newest;
    this.left = ply;
    const { answered, refused } = await this.sender.send(text, version);
    if (answered && connection().textContent === NO_ANSWER) connection().textContent = "";
    const { next } = this;
    this.next = null;
    if (next && !refused && next.key === this.page.board.key) {
      problem().replaceChildren();
      return next.deed();
    }
    if (answered && !refused) {
      problem().replaceChildren();
      this.#check(version);
      return this.#goOn();
    }
    // Without an answer it is unknown whether the action was carried out, unless the game has gone on.
    if (!answered && state.newest.ply > ply) return this.#goOn();
    Object.assign(this, { left: null, entered: null });
    if (typed && field() && !field().value) field().value = text;
    this.chance.stop();
    // What was planned after it, or chosen meanwhile, must not be played in its place.
    this.page.board.selection.clear();
    if (state.ahead) state.takeBack();
    if (refused) problem().replaceChildren(refused);
    else connection().textContent = NO_ANSWER;
    announce(refused ? refused.textContent.trim() : gettext("No answer. Try again."));
  }

  /** An accepted action arrives by the stream; if it does not, refresh the page. */
  #check(version) {
    const { state } = this.page;
    setTimeout(() => state.newest.version <= version && this.page.renew().catch(() => {}), PATIENCE);
  }
}
