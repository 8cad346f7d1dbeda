// An event stream that reconnects when it breaks.

import { MOMENT } from "./connection.js";
import { gettext } from "./language.js";
import { Silence } from "./silence.js";

const FIRST_WAIT = 500;
const SLOWEST = 10_000;

export class Stream {
  /**
   * `events` maps names of messages to functions, which are called with the message's data and id. If `alive` is
   * among them, which streams of boards send in silence, the stream is opened again after too long a silence.
   * `said` is called with the connection's state in the reader's language, or an empty string once it is closed,
   * `begun` whenever the service begins the stream, which happens again after each time it was closed or broken.
   */
  constructor(path, events, said = () => {}, begun = () => {}) {
    this.path = path;
    this.silence = "alive" in events ? new Silence(() => this.broken()) : null;
    this.events = events;
    this.said = said;
    this.begun = begun;
    this.wait = FIRST_WAIT;
  }

  open() {
    this.close();
    this.source = new EventSource(`/api/v1/${this.path}`);
    this.silence?.heard();
    for (const [name, take] of Object.entries(this.events)) {
      this.source.addEventListener(name, (event) => {
        this.silence?.heard();
        take(JSON.parse(event.data), event.lastEventId);
      });
    }
    this.source.addEventListener("reconnect", () => this.elsewhere());
    this.source.onopen = () => {
      this.wait = FIRST_WAIT;
      clearTimeout(this.timer);
      this.begun();
      this.said(gettext("live"));
    };
    this.source.onerror = () => this.again();
  }

  close() {
    clearTimeout(this.timer);
    this.silence?.end();
    this.source?.close();
    this.source = null;
    this.said("");
  }

  /** The serving process is about to stop; another one answers at once. */
  elsewhere() {
    const { said } = this;
    this.said = () => {};
    this.open();
    this.said = said;
    this.timer = setTimeout(() => said(gettext("reconnecting…")), MOMENT);
  }

  /** The stream has been silent for too long. */
  broken() {
    this.open();
    this.said(gettext("reconnecting…"));
  }

  /** The browser reconnects by itself, except after an answer that was not a stream. */
  again() {
    clearTimeout(this.timer);
    this.said(gettext("reconnecting…"));
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, SLOWEST);
  }
}

/** Keep a stream open only while the page is visible: a browser has only a few connections per site, for all its tabs. */
export function openWhileSeen(stream) {
  const settle = () => (document.hidden ? stream.close() : stream.open());
  document.addEventListener("visibilitychange", settle);
  settle();
  return () => {
    document.removeEventListener("visibilitychange", settle);
    stream.close();
  };
}
