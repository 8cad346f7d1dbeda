// A page that keeps up: with a game by its event stream, with an import by asking again.

import { announce, load, position, show } from "./page.js";
import { atNewest, newest } from "./replay.js";

const SLOWEST = 10_000;

/** Follow the game of the page until it is over; a broken connection is made again. */
export function followGame() {
  const game = document.querySelector("#game[data-id]");
  if (game) new Follower(game.dataset.id).connect();
}

class Follower {
  constructor(id) {
    this.id = id;
    this.wait = 500;
    this.wanted = this.shown();
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.source?.readyState === EventSource.CLOSED) this.connect();
    });
  }

  /** The version of the game that the page shows. */
  shown() {
    return Number(document.getElementById("state").dataset.version);
  }

  connect() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = new EventSource(`/api/v1/games/${this.id}/stream?after=${this.shown()}`);
    this.source.onmessage = (event) => this.news(Number(event.lastEventId));
    this.source.addEventListener("caught_up", (event) => {
      this.wait = 500;
      say("live");
      this.news(Number(event.lastEventId));
    });
    this.source.onerror = () => this.again();
  }

  /** The browser connects again by itself, but not after an answer that was no stream. */
  again() {
    say("reconnecting…");
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.timer = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(2 * this.wait, SLOWEST);
  }

  /** Show the game as of this version, or a newer one; many events cost one page. */
  async news(version) {
    this.wanted = Math.max(this.wanted, version);
    if (this.loading || this.shown() >= this.wanted) return;
    this.loading = true;
    try {
      const html = await load(atNewest() ? { ply: null } : {});
      show(html);
      if (atNewest()) announce(position().dataset.said);
    } catch {
      await new Promise((done) => setTimeout(done, this.wait));
    } finally {
      this.loading = false;
    }
    this.news(this.wanted);
  }
}

function say(text) {
  document.getElementById("connection").textContent = text;
}

/** Ask again as long as a part of the page says how often (in milliseconds). */
export function refreshWhileOpen() {
  const part = document.querySelector("[data-refresh]");
  if (!part) return;
  setTimeout(async () => {
    try {
      show(await load());
    } catch {
      // The service is away for the moment; what is shown stays, and is asked for again.
    }
    refreshWhileOpen();
  }, Number(part.dataset.refresh));
}

document.addEventListener("shown", newest);
