// A variant's board as the service describes it: cells, labels, strokes, and the pieces that letters stand for.

/** @typedef {{name: string, x: number, y: number, path: string, look: string, text: string}} Cell in units of the picture */
/** @typedef {{letter: string, on: string?, symbol: string, side: "first" | "second" | null, name: string}} Figure */

const asked = new Map();

/** The geometry of a variant's board, fetched once per page; rejects if the service does not answer. */
export function loadGeometry(variant) {
  if (!asked.has(variant)) {
    const found = read(variant);
    found.catch(() => asked.delete(variant));
    asked.set(variant, found);
  }
  return asked.get(variant);
}

async function read(variant) {
  const answer = await fetch(`/api/v1/variants/${variant}/board`, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return new Geometry(variant, await answer.json());
}

/** One variant's board; immutable. */
export class Geometry {
  constructor(variant, told) {
    this.variant = variant;
    this.width = told.width;
    this.height = told.height;
    this.span = told.span;
    /** @type {string[][]} names of cells in the order in which a position string writes them */
    this.rows = told.rows;
    /** @type {Map<string, Cell>} */
    this.cells = new Map(told.cells.map((one) => [one.name, one]));
    this.labels = told.labels;
    this.strokes = told.strokes;
    this.symbols = told.symbols;
    /** @type {Map<string, Figure[]>} by letter */
    this.figures = new Map();
    for (const one of told.figures) this.figures.set(one.letter, [...(this.figures.get(one.letter) ?? []), one]);
    this.sides = told.sides;
    this.words = told.words;
  }

  /** The letters of a position string by cell. */
  place(fen) {
    const standing = new Map();
    fen.split(" ", 1)[0].split("/").forEach((written, row) => {
      let at = 0;
      for (const [token] of written.matchAll(/\d+|\D/g)) {
        if (/\d/.test(token)) at += Number(token);
        else standing.set(this.rows[row][at++], token);
      }
    });
    return standing;
  }

  /** @returns {Figure} the piece that a letter stands for on a cell, or off the board if the cell is null */
  figure(letter, cell) {
    const found = this.figures.get(letter);
    // In some games the cell decides whose piece it is.
    const look = cell ? this.cells.get(cell).look.split(" ") : [];
    return found.find((one) => look.includes(one.on)) ?? found.find((one) => one.on === null);
  }

  /** The cell whose centre is nearest to a point of the picture, as the first side sees it. */
  nearest(x, y) {
    let best = null;
    let least = Infinity;
    for (const [name, cell] of this.cells) {
      const far = (cell.x - x) ** 2 + (cell.y - y) ** 2;
      if (far < least) [best, least] = [name, far];
    }
    return best;
  }

  /**
   * The neighbour of a cell in a direction, such as 0, -1 for up as the first side sees it; at the edge,
   * the cell itself. A hexagon may have no neighbour straight up: then the nearest one to either side.
   */
  step(from, right, down) {
    const own = this.cells.get(from);
    let best = from;
    let least = Infinity;
    for (const [name, cell] of this.cells) {
      const ahead = (cell.x - own.x) * right + (cell.y - own.y) * down;
      const aside = Math.abs((cell.x - own.x) * down - (cell.y - own.y) * right);
      if (ahead < 1 || aside > ahead) continue;
      const far = ahead + 1.5 * aside;
      if (far < least - 0.5) [best, least] = [name, far];
    }
    return best;
  }
}
