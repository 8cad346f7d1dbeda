// What an analysis has found so far, and what it finds while it goes on.

import { gettext } from "../language.js";

const HEADERS = { Accept: "application/json" };

/** An analysis of the service; `changed()` is told when there is more. */
export class Found {
  constructor(changed) {
    this.changed = changed;
    this.forget();
  }

  forget() {
    this.source?.close();
    this.source = null;
    /** @type {object?} the analysis as the service told it */
    this.told = null;
    /** Findings by ply, null where there is none. */
    this.findings = [];
    this.actions = [];
    this.done = 0;
  }

  /** Read an analysis at a path below /api/v1, and follow it to its end; the promise fails without an answer. */
  async read(path) {
    const answer = await fetch(`/api/v1${path}`, { headers: HEADERS });
    if (!answer.ok) throw new Error(`${answer.status}`);
    this.take(await answer.json());
  }

  /** Take an analysis as the service tells it. */
  take(told) {
    this.forget();
    this.told = told;
    for (const one of told.findings) this.findings[one.index] = one.finding;
    this.actions = told.judged?.actions ?? [];
    this.done = told.progress.done;
    if (told.under_way) this.findings[told.progress.done] = told.under_way;
    this.changed();
    if (!told.ended_at) this.#follow(told.id);
  }

  #follow(id) {
    this.source = new EventSource(`/api/v1/analyses/${id}/stream`);
    this.source.addEventListener("position", ({ data }) => {
      const { index, finding } = JSON.parse(data);
      this.findings[index] = finding;
      this.done = Math.max(this.done, index + 1);
      this.changed();
    });
    this.source.addEventListener("under_way", ({ data }) => {
      const { index, finding } = JSON.parse(data);
      this.findings[index] = finding;
      this.changed();
    });
    // The process that answered is about to end: another one answers at once.
    this.source.addEventListener("reconnect", () => {
      this.source.close();
      this.#follow(id);
    });
    this.source.addEventListener("ended", () => {
      this.source.close();
      // With it come the judgements of the actions.
      this.read(`/analyses/${id}`).catch(() => this.changed());
    });
  }

  /** The finding in the position after so many actions, null for none. */
  at(ply) {
    return this.findings[ply] ?? null;
  }

  /** The first side's chances by ply, null where they are not known. */
  get chances() {
    return Array.from(this.findings, (one) => one?.chance ?? null);
  }
}

const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** What judgements are called. */
export const JUDGEMENTS = { inaccuracy: gettext("inaccuracy"), mistake: gettext("mistake"), blunder: gettext("blunder") };

/** The sign of an action by its judgement, empty for none. */
export const signOf = (judged) => (judged ? (SIGNS[judged.judgement] ?? (judged.only ? "!" : "")) : "");
