// The one stream of a game's page: each change of the game is one message, which has the whole board.

import { MOMENT } from "../connection.js";
import { gettext } from "../language.js";

const FIRST_WAIT = 500;
const SLOWEST = 10_000;

/** Follows a game while somebody looks; a broken connection is made again. */
export class GameStream {
  /**
   * `heard(message)` hears each message; `over()` says whether nothing more can be expected; `renew()` shows the page
   * anew, where the service gives no stream; `say(text)` tells of the connection.
   */
  constructor(id, { heard, over, renew, say }) {
    this.path = `/api/v1/games/${id}/stream?view=board`;
    Object.assign(this, { heard, over, renew, say });
    this.wait = FIRST_WAIT;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.rest() : this.connect()));
    addEventListener("offline", () => say(gettext("You are offline. The page continues when you are back online.")));
    addEventListener("online", () => this.connect());
  }

  /** Whether the connection is there, or being made. */
  get open() {
    return Boolean(this.source) && this.source.readyState !== EventSource.CLOSED;
  }

  /** Let go of the connection: a browser has few to a site, for all its tabs. */
  rest() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  connect() {
    this.rest();
    if (document.hidden) return;
    this.source = new EventSource(this.path);
    this.source.addEventListener("board", ({ data }) => {
      this.wait = FIRST_WAIT;
      clearTimeout(this.timer);
      this.heard(JSON.parse(data));
      if (this.over()) this.rest();
      this.say(this.over() ? "" : gettext("live"));
    });
    this.source.addEventListener("reconnect", () => this.#elsewhere());
    this.source.onerror = () => this.#again();
  }

  /** The process that answered is about to end: another one answers at once. */
  #elsewhere() {
    this.connect();
    this.timer = setTimeout(() => this.say(gettext("reconnecting…")), MOMENT);
  }

  /** The browser connects again by itself, but not after an answer that was no stream. */
  #again() {
    if (navigator.onLine) this.say(gettext("reconnecting…"));
    clearTimeout(this.timer);
    if (this.open) return;
    this.timer = setTimeout(() => this.#anew(), this.wait);
    this.wait = Math.min(2 * this.wait, SLOWEST);
  }

  /** Connect anew, with the page as it is now: a session that is no longer good gets no stream. */
  async #anew() {
    await this.renew().catch(() => {});
    this.connect();
  }
}
