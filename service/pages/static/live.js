// Keeps a page up to date: a tournament's by its event stream, others by polling.

import { MOMENT, tellConnection } from "./connection.js";
import { gettext } from "./language.js";
import { announce, load, show } from "./page.js";
import { settled } from "./steady.js";

const SLOWEST = 10_000;

/** Follow the tournament of the page. */
export function followTournament() {
  const tournament = document.querySelector("#tournament[data-id]");
  if (!tournament) return;
  new Follower(`tournaments/${tournament.dataset.id}`, "tournament", showTournament).connect();
}

async function showTournament() {
  show(await load());
  announce(gettext("The tournament has been updated."));
}

// A browser has only a few connections per site, for all its tabs: one is kept only while more events are expected
// and the page is visible.
class Follower {
  /** `path` is the stream's, `part` the id of the element with the version, `refresh` shows a newer one. */
  constructor(path, part, refresh) {
    this.path = path;
    this.part = part;
    this.refresh = refresh;
    this.wait = 500;
    this.wanted = this.shown();
    this.done = false;
    // A finished tournament may be reopened on this page: then it is followed again.
    document.addEventListener("shown", () => this.done && !this.over() && this.connect());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.rest() : this.connect()));
    addEventListener("offline", () => tellConnection(gettext("You are offline. The page continues when you are back online.")));
    addEventListener("online", () => this.connect());
  }

  /** The version that the page shows. */
  shown() {
    return Number(document.getElementById(this.part).dataset.version);
  }

  /** Whether the tournament is over; corrections are still possible. */
  over() {
    return document.getElementById(this.part).dataset.open === "";
  }

  /** The version after which to follow: the newest events of a tournament may be secret. */
  after() {
    return Number(document.getElementById(this.part).dataset.after ?? this.shown());
  }

  /** Close the connection. */
  rest() {
    clearTimeout(this.timer);
    this.source?.close();
  }

  connect() {
    this.rest();
    this.done = false;
    if (document.hidden) return;
    this.source = new EventSource(`/api/v1/${this.path}/stream?after=${this.after()}`);
    this.source.onmessage = (event) => this.news(Number(event.lastEventId));
    this.source.addEventListener("caught_up", (event) => {
      this.wait = 500;
      clearTimeout(this.timer);
      tellConnection(this.over() ? "" : gettext("live"));
      this.news(Number(event.lastEventId));
    });
    this.source.addEventListener("reconnect", () => this.elsewhere());
    this.source.onerror = () => this.again();
  }

  /** The serving process is about to stop; another one answers at once. */
  elsewhere() {
    this.connect();
    this.timer = setTimeout(() => tellConnection(gettext("reconnecting…")), MOMENT);
  }

  /** The browser reconnects by itself, except after an answer that was not a stream. */
  again() {
    if (navigator.onLine) tellConnection(gettext("reconnecting…"));
    clearTimeout(this.timer);
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.timer = setTimeout(() => this.renew(), this.wait);
    this.wait = Math.min(2 * this.wait, SLOWEST);
  }

  /** Reload the page's parts and reconnect: a stream is refused if the session has expired. */
  async renew() {
    await this.refresh().catch(() => {});
    this.connect();
  }

  /** Show the page at this version or later; several events cost one request. */
  async news(version) {
    this.wanted = Math.max(this.wanted, version);
    if (this.loading) return;
    if (this.shown() >= this.wanted) {
      this.done = this.over();
      if (this.done) {
        this.rest();
        tellConnection("");
      }
      return;
    }
    this.loading = true;
    try {
      await this.refresh();
      await settled();
    } catch {
      await new Promise((done) => setTimeout(done, this.wait));
    } finally {
      this.loading = false;
    }
    if (this.over()) tellConnection("");
    this.news(this.wanted);
  }
}

/** Reload as long as a part of the page says how often, in milliseconds. */
export function refreshWhileOpen() {
  const part = document.querySelector("[data-refresh]");
  if (!part) return;
  setTimeout(async () => {
    try {
      show(await load());
    } catch {
      // The service is unreachable for the moment: keep what is shown, and try again.
    }
    refreshWhileOpen();
  }, Number(part.dataset.refresh));
}
