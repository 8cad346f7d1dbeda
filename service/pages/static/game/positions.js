// All positions of a game, asked for in a few large parts, so that each step of a replay is local.

const PART = 300;

/** The positions of one game, by ply. */
export class Positions {
  constructor(id) {
    this.path = `/api/v1/games/${id}/positions`;
    this.known = new Map();
    this.asked = new Map();
  }

  /** Keep a position that was told. */
  keep(position) {
    this.known.set(position.ply, position);
  }

  /** Forget all: the game has gone back, or shows more than before. */
  forget() {
    this.known.clear();
    this.asked.clear();
  }

  /** The position after so many actions, if it is there already. */
  get(ply) {
    return this.known.get(ply) ?? null;
  }

  /** Have the positions around a ply here; the promise fails without an answer. */
  fetch(ply) {
    const from = ply - (ply % PART);
    if (!this.asked.has(from)) {
      const found = this.#read(from);
      this.asked.set(from, found);
      found.catch(() => this.asked.get(from) === found && this.asked.delete(from));
    }
    return this.asked.get(from);
  }

  async #read(from) {
    const { asked } = this;
    const answer = await fetch(`${this.path}?from=${from}&limit=${PART}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const { items } = await answer.json();
    // What was asked before all was forgotten is no longer wanted.
    if (asked.get(from)) for (const one of items) this.keep(one);
  }
}
