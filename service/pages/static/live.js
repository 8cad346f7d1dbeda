// A page that keeps up: with a tournament by its event stream, else by asking again.

import { MOMENT, tellConnection } from "./connection.js";
import { gettext } from "./language.js";
import { announce, load, show } from "./page.js";

const SLOWEST = 10_000;

/** Keep up with the tournament of the page. */
export function followTournament() {
  const tournament = document.querySelector("#tournament[data-id]");
  if (!tournament) return;
  new Follower(`tournaments/${tournament.dataset.id}`, "tournament", showTournament).connect();
}

async function showTournament() {
  show(await load());
  announce(gettext("The tournament has been updated."));
}

// A browser has few connections to a site, for all its tabs: one is kept only where there is something
// to come and somebody to see it.
class Follower {
  /** `path` is the stream's, `part` the id of what has the version, `refresh` shows a newer one. */
  constructor(path, part, refresh) {
    this.path = path;
    this.part = part;
    this.refresh = refresh;
    this.wait = 500;
    this.wanted = this.shown();
    this.done = false;
    // A tournament that is over may be taken up again on this page: then there is something to come again.
    document.addEventListener("shown", () => this.done && !this.over() && this.connect());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.rest() : this.connect()));
    addEventListener("offline", () => tellConnection(gettext("You are offline. The page continues when you are back online.")));
    addEventListener("online", () => this.connect());
  }

  /** The version that the page shows. */
  shown() {
    return Number(document.getElementById(this.part).dataset.version);
  }

  /** Whether nothing more can be expected; corrections may come all the same. */
  over() {
    return document.getElementById(this.part).dataset.open === "";
  }

  /** From where on events are still to be told: the newest of a tournament may be a secret. */
  after() {
    return Number(document.getElementById(this.part).dataset.after ?? this.shown());
  }

  /** Let go of the connection. */
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

  /** The process that answered is about to end: another one answers at once. */
  elsewhere() {
    this.connect();
    this.timer = setTimeout(() => tellConnection(gettext("reconnecting…")), MOMENT);
  }

  /** The browser connects again by itself, but not after an answer that was no stream. */
  again() {
    if (navigator.onLine) tellConnection(gettext("reconnecting…"));
    clearTimeout(this.timer);
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.timer = setTimeout(() => this.renew(), this.wait);
    this.wait = Math.min(2 * this.wait, SLOWEST);
  }

  /** Connect anew, with the page as it is now: a token that is no longer good gets no stream. */
  async renew() {
    await this.refresh().catch(() => {});
    this.connect();
  }

  /** Show the page as of this version, or a newer one; many events cost one page. */
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
    } catch {
      await new Promise((done) => setTimeout(done, this.wait));
    } finally {
      this.loading = false;
    }
    if (this.over()) tellConnection("");
    this.news(this.wanted);
  }
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
