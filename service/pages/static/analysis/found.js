// The findings of an analysis, which grow while it runs.

import { gettext } from "../language.js";

const HEADERS = { Accept: "application/json" };

/** An analysis by the service; `changed()` is called whenever there is more. */
export class Found {
  constructor(changed) {
    this.changed = changed;
    this.forget();
  }

  forget() {
    this.source?.close();
    this.source = null;
    /** @type {object?} the analysis as the service sent it */
    this.told = null;
    /** Findings by ply; sparse. */
    this.findings = [];
    this.actions = [];
    this.done = 0;
  }

  /** Read an analysis at a path below /api/v1 and follow it to its end; rejects if the service does not answer. */
  async read(path) {
    const answer = await fetch(`/api/v1${path}`, { headers: HEADERS });
    if (!answer.ok) throw new Error(`${answer.status}`);
    this.take(await answer.json());
  }

  /** Take an analysis as the service sends it. */
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
    // The serving process is about to stop; another one answers at once.
    this.source.addEventListener("reconnect", () => {
      this.source.close();
      this.#follow(id);
    });
    this.source.addEventListener("ended", () => {
      this.source.close();
      // Only a finished analysis has the judgements of the actions.
      this.read(`/analyses/${id}`).catch(() => this.changed());
    });
  }

  /** The finding at this ply, or null. */
  at(ply) {
    return this.findings[ply] ?? null;
  }

  /** The first side's chances by ply, null where unknown. */
  get chances() {
    return Array.from(this.findings, (one) => one?.chance ?? null);
  }
}

const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** The names of judgements. */
export const JUDGEMENTS = { inaccuracy: gettext("inaccuracy"), mistake: gettext("mistake"), blunder: gettext("blunder") };

/** The sign for an action's judgement, or an empty string. */
export const signOf = (judged) => (judged ? (SIGNS[judged.judgement] ?? (judged.only ? "!" : "")) : "");
