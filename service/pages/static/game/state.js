// What a game's page knows of its game: the newest state the service has told, the position that is looked at, and an
// action of the reader's own that is shown ahead of its answer.

/** @typedef {{version: number, ply: number, status: string, to_act: string?, position: object, legal: object?}} Told
 *   a message of the stream (`view=board`), or what the page itself came with */

/** The state of the page's game; tells `changed(what)` what has changed: a set of "newest", "shown", "ahead". */
export class GameState {
  constructor(own, variant, changed) {
    this.own = own;
    this.variant = variant;
    this.changed = changed;
    /** @type {Told?} */
    this.newest = null;
    /** The ply that is looked at, null for the newest. */
    this.looking = null;
    this.looked = null;
    /** The position shown of a line that leaves the game at the ply looked at; null within the game. */
    this.aside = null;
    /** The reader's action that has no answer yet. */
    this.ahead = null;
  }

  /** Take what the service tells; older news than what is known are none. */
  take(told) {
    if (this.newest && told.version < this.newest.version) return;
    const moved = !this.newest || told.ply !== this.newest.ply || told.position.fen !== this.newest.position.fen;
    this.newest = told;
    if (moved) this.ahead = this.aside = null;
    if (this.looking !== null && this.looking >= told.ply) this.follow();
    this.changed("newest");
  }

  /** Look at an earlier position. */
  look(position) {
    this.looking = position.ply;
    this.looked = position;
    this.aside = null;
    this.changed("shown");
  }

  /** Look at a position of a line that leaves the game where it is looked at; null for the game's own. */
  leave(position) {
    this.aside = position;
    this.changed("shown");
  }

  /** Look at the newest position, and at those to come. */
  follow() {
    this.looking = null;
    this.looked = null;
    this.aside = null;
  }

  get follows() {
    return this.looking === null && !this.aside;
  }

  /** The position on the board, as far as the service has told it. */
  get position() {
    return this.aside ?? this.looked ?? this.newest.position;
  }

  /** The actions that the reader can play in the position on the board. */
  get legal() {
    return this.follows && !this.ahead ? (this.newest.legal?.actions ?? []) : [];
  }

  /** The captures in the position on the board whose strengths the service tells. */
  get captures() {
    return this.newest.legal?.captures ?? [];
  }

  /** The captures in the position on the board that would fail. */
  get refused() {
    return this.newest.legal?.refused ?? [];
  }

  /** Whose pieces may be moved ahead of their turn: a player's own, while the game is being played. */
  get plans() {
    const playing = this.newest.status === "running" && this.own.length === 1;
    const waiting = this.ahead || this.newest.to_act !== this.own[0];
    return playing && this.follows && waiting ? this.own[0] : null;
  }

  /** Whether a scribe has played an action, and is not told yet what can follow. */
  get awaits() {
    return this.newest.status === "running" && this.own.length > 1 && this.follows && this.ahead !== null;
  }

  /** The letters of the pieces that a player still has in hand, once what is ahead is carried out. */
  get hand() {
    const own = this.newest.position.trays.find((one) => one.in_hand && one.side === this.own[0]);
    const letters = own?.pieces ?? "";
    return this.ahead?.kind === "drop" ? letters.replace(this.ahead.from, "") : letters;
  }

  /** Whether the service waits for the reader. */
  get turn() {
    return this.newest.status === "running" && this.own.includes(this.newest.to_act) && !this.ahead;
  }

  /** Show an action ahead of its answer. */
  play(action) {
    this.ahead = action;
    this.changed("ahead");
  }

  /** Take it back: it was refused. */
  takeBack() {
    this.ahead = null;
    this.changed("ahead");
  }

  /** The letters by cell once the action ahead is carried out. */
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
