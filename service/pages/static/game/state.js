// What a game's page knows of its game: the newest state from the service, the position shown, and the reader's own
// action that is shown before it is answered.

import { measureAhead } from "./clocks.js";

/** @typedef {{version: number, ply: number, status: string, to_act: string?, position: object, legal: object?}} Told
 *   a message of the stream (`view=board`), or the data that came with the page */

/** The state of the page's game; calls `changed(what)` with "newest", "shown" or "ahead" when that changes. */
export class GameState {
  constructor(own, variant, changed) {
    this.own = own;
    this.variant = variant;
    this.changed = changed;
    /** @type {Told?} */
    this.newest = null;
    /** The ply shown, or null for the newest. */
    this.looking = null;
    this.looked = null;
    /** The position shown of a line that leaves the game at the ply shown; null within the game. */
    this.aside = null;
    /** The reader's action that is not answered yet, or null. */
    this.ahead = null;
  }

  /** Take a state from the service, unless a newer one is known. */
  take(told) {
    if (this.newest && told.version < this.newest.version) return;
    const moved = !this.newest || told.ply !== this.newest.ply || told.position.fen !== this.newest.position.fen;
    // The data that came with the page may be taken again later.
    const ahead = told.now === this.newest?.now ? this.newest.ahead : measureAhead(told.now);
    this.newest = { ...told, ahead };
    if (moved) this.ahead = this.aside = null;
    if (this.looking !== null && this.looking >= told.ply) this.follow();
    this.changed("newest");
  }

  /** Show an earlier position. */
  look(position) {
    this.looking = position.ply;
    this.looked = position;
    this.aside = null;
    this.changed("shown");
  }

  /** Show a position of a line that leaves the game at the ply shown, or the game's own if null. */
  leave(position) {
    this.aside = position;
    this.changed("shown");
  }

  /** Show the newest position, and each new one. */
  follow() {
    this.looking = null;
    this.looked = null;
    this.aside = null;
  }

  get follows() {
    return this.looking === null && !this.aside;
  }

  /** The position on the board, without the action that is not answered yet. */
  get position() {
    return this.aside ?? this.looked ?? this.newest.position;
  }

  /** The actions that the reader can play in the position on the board. */
  get legal() {
    return this.follows && !this.ahead ? (this.newest.legal?.actions ?? []) : [];
  }

  /** The captures in the newest position that the service sent with their strengths. */
  get captures() {
    return this.newest.legal?.captures ?? [];
  }

  /** The captures in the newest position that would fail. */
  get refused() {
    return this.newest.legal?.refused ?? [];
  }

  /** Whether a player waits for their turn in a running game. */
  get #waits() {
    const playing = this.newest.status === "running" && this.own.length === 1;
    return playing && (this.ahead !== null || this.newest.to_act !== this.own[0]);
  }

  /** The side whose pieces may be moved ahead of its turn: a player's own, while the game is running; else null. */
  get plans() {
    return this.#waits && this.follows ? this.own[0] : null;
  }

  /** Whether a plan is kept while the player looks at another position than the one it was made in. */
  get keepsPlan() {
    return this.#waits && !this.follows;
  }

  /** Whether a scribe, who plays both sides, waits for the legal replies to an action. */
  get awaits() {
    return this.newest.status === "running" && this.own.length > 1 && this.follows && this.ahead !== null;
  }

  /** The letters of the pieces left in a player's hand after the action that is shown ahead. */
  get hand() {
    const own = this.newest.position.trays.find((one) => one.in_hand && one.side === this.own[0]);
    const letters = own?.pieces ?? "";
    return this.ahead?.kind === "drop" ? letters.replace(this.ahead.from, "") : letters;
  }

  /** Whether it is the reader's turn. */
  get turn() {
    return this.newest.status === "running" && this.own.includes(this.newest.to_act) && !this.ahead;
  }

  /** Show an action before it is answered. */
  play(action) {
    this.ahead = action;
    this.changed("ahead");
  }

  /** Take back the action that was refused. */
  takeBack() {
    this.ahead = null;
    this.changed("ahead");
  }

  /** The letters by cell after the action that is shown ahead. */
  standingAhead(standing) {
    const { kind, from, to, changes } = this.ahead;
    const effect = changes ?? (kind === "drop" ? { [to]: from } : { [from]: null, [to]: standing.get(from) });
    const after = new Map(standing);
    for (const [cell, letter] of Object.entries(effect)) {
      if (letter === null) after.delete(cell);
      else after.set(cell, letter);
    }
    return after;
  }
}
