// The findings of an analysis, which grow while it runs.

import { gettext } from "../language.js";
import { Stream, openWhileSeen } from "../stream.js";

const HEADERS = { Accept: "application/json" };

/** An analysis by the service; `changed()` is called whenever there is more, as long as it is `shown`. */
export class Found {
  constructor(changed, shown = true) {
    this.changed = changed;
    this.shown = shown;
    this.forget();
  }

  forget() {
    this.#rest();
    this.ended = false;
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
    this.#settle();
  }

  /** Follow the analysis, or not: only while it is shown, since a browser has only a few connections to a site. */
  follow(shown) {
    this.shown = shown;
    this.#settle();
  }

  #settle() {
    const open = this.shown && this.told && !this.told.ended_at && !this.ended;
    if (!open) this.#rest();
    else this.rest ??= openWhileSeen(this.#stream(this.told.id));
  }

  #rest() {
    this.rest?.();
    this.rest = null;
  }

  /** The stream of an analysis, which begins with all findings whenever it is opened. */
  #stream(id) {
    const take = ({ index, finding }) => {
      this.findings[index] = finding;
      this.changed();
    };
    const events = {
      position: (told) => {
        this.done = Math.max(this.done, told.index + 1);
        take(told);
      },
      under_way: take,
      ended: () => this.#end(id),
    };
    return new Stream(`analyses/${id}/stream`, events);
  }

  #end(id) {
    this.ended = true;
    this.#rest();
    // Only a finished analysis has the judgements of the actions.
    this.read(`/analyses/${id}`).catch(() => this.changed());
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
