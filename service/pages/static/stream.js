// An event stream that is made again when it breaks.

const FIRST_WAIT = 500;
const SLOWEST = 10_000;

export class Stream {
  /**
   * `events` are functions by the names of messages; each is given the message's data and id.
   * `said` is told of the connection: "live", "reconnecting…", or nothing once it is closed.
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
      this.said("live");
    };
    this.source.onerror = () => this.again();
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    this.said("");
  }

  /** The process that answered is about to end: another one answers at once, and nothing is said of it. */
  elsewhere() {
    const said = this.said;
    this.said = () => {};
    this.open();
    this.said = said;
  }

  /** The browser connects again by itself, but not after an answer that was no stream. */
  again() {
    this.said("reconnecting…");
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
