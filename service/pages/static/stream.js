// An event stream that is made again when it breaks.

import { MOMENT } from "./connection.js";
import { gettext } from "./language.js";

const FIRST_WAIT = 500;
const SLOWEST = 10_000;

export class Stream {
  /**
   * `events` are functions by the names of messages; each is given the message's data and id.
   * `said` is told of the connection in the reader's language: that it is live or being made again, or nothing once it is closed.
   */
  constructor(path, events, said = () => {}) {
    this.path = path;
    this.events = events;
    this.said = said;
    this.wait = FIRST_WAIT;
  }

  open() {
    this.close();
    this.source = new EventSource(`/api/v1/${this.path}`);
    for (const [name, take] of Object.entries(this.events)) {
      this.source.addEventListener(name, (event) => take(JSON.parse(event.data), event.lastEventId));
    }
    this.source.addEventListener("reconnect", () => this.elsewhere());
    this.source.onopen = () => {
      this.wait = FIRST_WAIT;
      clearTimeout(this.timer);
      this.said(gettext("live"));
    };
    this.source.onerror = () => this.again();
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    this.said("");
  }

  /** The process that answered is about to end: another one answers at once. */
  elsewhere() {
    const { said } = this;
    this.said = () => {};
    this.open();
    this.said = said;
    this.timer = setTimeout(() => said(gettext("reconnecting…")), MOMENT);
  }

  /** The browser connects again by itself, but not after an answer that was no stream. */
  again() {
    clearTimeout(this.timer);
    this.said(gettext("reconnecting…"));
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, SLOWEST);
  }
}

/** Have a stream only while the page is seen: a browser has few connections to a site for all its tabs. */
export function openWhileSeen(stream) {
  const settle = () => (document.hidden ? stream.close() : stream.open());
  document.addEventListener("visibilitychange", settle);
  settle();
  return () => {
    document.removeEventListener("visibilitychange", settle);
    stream.close();
  };
}
