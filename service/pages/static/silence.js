// Notices that the connection of a stream has died without a word, as it may when a laptop wakes up or a phone changes its
// network: the browser would wait for many minutes.

/** Milliseconds within which a living stream of boards sends something, with time to spare. */
const LONGEST = 40_000;

export class Silence {
  /** `broken` is called once the stream has been silent for too long. */
  constructor(broken) {
    this.broken = broken;
  }

  /** The stream was opened, or has sent something. */
  heard() {
    this.end();
    this.timer = setTimeout(this.broken, LONGEST);
  }

  /** The stream was closed. */
  end() {
    clearTimeout(this.timer);
  }
}
