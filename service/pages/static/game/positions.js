// The positions of a game, fetched in a few large parts, so that stepping through a replay needs no request.

const PART = 300;

/** The positions of one game, by ply. */
export class Positions {
  constructor(id) {
    this.path = `/api/v1/games/${id}/positions`;
    this.known = new Map();
    this.asked = new Map();
  }

  /** Keep a position that the service sent. */
  keep(position) {
    this.known.set(position.ply, position);
  }

  /** Forget everything: actions were taken back, or more of the game is now public. */
  forget() {
    this.known.clear();
    this.asked.clear();
  }

  /** The position at a ply, if known; else null. */
  get(ply) {
    return this.known.get(ply) ?? null;
  }

  /** Fetch the part with a ply, once; rejects if the service does not answer. */
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
    // Ignore an answer to a request made before `forget`.
    if (asked.get(from)) for (const one of items) this.keep(one);
  }
}
