// The stream of a game's page: each change of the game is one message, which contains the whole board.

import { MOMENT } from "../connection.js";
import { gettext } from "../language.js";
import { Silence } from "../silence.js";

const FIRST_WAIT = 500;
const SLOWEST = 10_000;
/** How many hidden pages of a browser keep their streams: it has about six connections to a site, for all its tabs. */
const MOST_HIDDEN = 2;

/** Follows a game while the page is visible, a player's also while it is hidden, and reconnects when the connection breaks. */
export class GameStream {
  /**
   * `heard(message)` receives each message; `over()` returns whether the game is over, `own()` whether the reader plays
   * in it; `renew()` loads the page again when the service refuses the stream; `say(text)` shows the state of the
   * connection.
   */
  constructor(id, { heard, over, own, renew, say }) {
    this.path = `/api/v1/games/${id}/stream?view=board`;
    Object.assign(this, { heard, over, own, renew, say });
    this.wait = FIRST_WAIT;
    this.silence = new Silence(() => this.#broken());
    /** How many players' pages were hidden after this one; one that is opened behind another is the last in line. */
    this.hiddenLater = document.hidden ? MOST_HIDDEN : 0;
    this.others = new BroadcastChannel("movelog-hidden");
    this.others.onmessage = () => this.#giveWay();
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#hide() : this.connect()));
    addEventListener("offline", () => say(gettext("You are offline. The page continues when you are back online.")));
    addEventListener("online", () => this.connect());
  }

  /** Whether the stream is connected or connecting. */
  get open() {
    return Boolean(this.source) && this.source.readyState !== EventSource.CLOSED;
  }

  /** Close the connection: a browser has only a few per site, for all its tabs. */
  rest() {
    clearTimeout(this.timer);
    this.silence.end();
    this.source?.close();
    this.source = null;
  }

  /** Whether this page may have a connection. */
  get #wanted() {
    return !document.hidden || (this.own() && !this.over() && this.hiddenLater < MOST_HIDDEN);
  }

  /** The page was hidden: a player's keeps the stream, in place of one that was hidden before others. */
  #hide() {
    this.hiddenLater = 0;
    if (!this.#wanted) return this.rest();
    this.others.postMessage("hidden");
  }

  /** Another page of a player was hidden. */
  #giveWay() {
    this.hiddenLater += 1;
    if (!this.#wanted) this.rest();
  }

  connect() {
    this.rest();
    if (!this.#wanted) return;
    this.source = new EventSource(this.path);
    this.silence.heard();
    this.source.addEventListener("alive", () => this.silence.heard());
    this.source.addEventListener("board", ({ data }) => {
      this.wait = FIRST_WAIT;
      clearTimeout(this.timer);
      this.silence.heard();
      this.heard(JSON.parse(data));
      if (this.over()) this.rest();
      this.say(this.over() ? "" : gettext("live"));
    });
    this.source.addEventListener("reconnect", () => this.#elsewhere());
    this.source.onerror = () => this.#again();
  }

  /** The serving process is about to stop; another one answers at once. */
  #elsewhere() {
    this.connect();
    this.timer = setTimeout(() => this.say(gettext("reconnecting…")), MOMENT);
  }

  /** The stream has been silent for too long. */
  #broken() {
    this.say(gettext("reconnecting…"));
    this.connect();
  }

  /** The browser reconnects by itself, except after an answer that was not a stream. */
  #again() {
    if (navigator.onLine) this.say(gettext("reconnecting…"));
    clearTimeout(this.timer);
    if (this.open) return;
    this.timer = setTimeout(() => this.#anew(), this.wait);
    this.wait = Math.min(2 * this.wait, SLOWEST);
  }

  /** Reload the page's parts and reconnect: a stream is refused if the session has expired. */
  async #anew() {
    await this.renew().catch(() => {});
    this.connect();
  }
}
