// Marks on cells. Each kind has a layer of its own, and none receives pointer events.

import { around, drawing, element } from "./svg.js";

/** Signs for captures that strength does not decide: the piece always, or never, takes such a target. */
const [ALWAYS, NEVER] = ["✓", "✕"];

/** The sign of a capture, by its verdict. */
const STRENGTHS = {
  succeeds: (attack, defence) => (attack >= defence ? `${attack} ≥ ${defence}` : ALWAYS),
  "too weak": (attack, defence) => `${attack} < ${defence}`,
};

/** The marks on a board. */
export class Marks {
  constructor(ground, pieces) {
    this.ground = ground;
    this.pieces = pieces;
    this.cells = ground.geometry.cells;
    this.span = ground.geometry.span;
    this.shown = new Map();
  }

  /** Redraw a layer, unless it already shows exactly this. */
  #draw(layer, told, draw) {
    const key = JSON.stringify(told);
    if (this.shown.get(layer) === key) return;
    this.shown.set(layer, key);
    this.ground.layers[layer].replaceChildren(...told.flatMap(draw));
  }

  #outline(name, look) {
    return element("path", { class: look, d: this.cells.get(name).path });
  }

  #ring(name, taken, look) {
    const { x, y } = this.cells.get(name);
    const ring = element("circle", { class: `${look} ${taken ? "capture" : "target"}`, cx: x, cy: y });
    ring.setAttribute("r", (taken ? 0.44 : 0.16) * this.span);
    return ring;
  }

  /** The cells of the last action. */
  showLast(names) {
    this.#draw("last", names, (name) => this.#outline(name, "last"));
  }

  /** The chosen cells. */
  showChosen(names) {
    this.#draw("chosen", names, (name) => this.#outline(name, "chosen"));
  }

  /** The targets of the chosen piece, or the cells that can be chosen. */
  showHints(names) {
    this.#draw("hints", names.map((name) => [name, this.pieces.standing.has(name)]), ([name, taken]) => {
      const ring = this.#ring(name, taken, "hint");
      ring.dataset.target = name;
      return ring;
    });
  }

  /** Both strengths on the cells of captures, at the upper edge so that the piece stays visible. */
  showStrengths(captures) {
    this.#draw("strengths", captures.map(({ to, attack, defence, verdict }) => [to, attack, defence, verdict]), ([to, attack, defence, verdict]) => {
      const { x, y } = this.cells.get(to);
      const said = STRENGTHS[verdict]?.(attack, defence) ?? NEVER;
      const height = 0.3 * this.span;
      const width = (0.2 + 0.17 * said.length) * this.span;
      const plate = element("rect", { x: -width / 2, y: -height / 2, width, height, rx: height / 4 });
      const text = element("text", { dy: ".35em", "font-size": 0.26 * this.span }, said);
      const sign = element("g", { transform: `translate(0 ${-0.42 * this.span})`, class: verdict === "succeeds" ? "strong" : "weak" }, plate, text);
      sign.dataset[verdict === "succeeds" ? "strength" : "refused"] = to;
      return around(x, y, element("g", { class: "upright" }, sign));
    });
  }

  /** The plan for the next turn; `placed` is the letter in hand to be placed, or null. */
  showPlan(names, placed = null) {
    this.#draw("plans", names.map((name) => [name, placed]), ([name]) => {
      const outline = this.#outline(name, "plan");
      if (!placed) return outline;
      const { x, y } = this.cells.get(name);
      const figure = this.pieces.draw(this.ground.geometry.figure(placed, null), this.span);
      return [outline, around(x, y, element("g", { class: "planned" }, figure))];
    });
  }

  /** The cell under a dragged piece or the keyboard cursor. */
  showCursor(names, look) {
    this.#draw("cursor", names.map((name) => [name, look]), ([name]) => this.#outline(name, look));
  }

  /** Pieces whose capture would end the game. */
  showThreats(names) {
    this.#sign("threats", names, "threat", this.span * 1.1, "threat", 0);
  }

  /** Pieces that the position singles out. */
  showChoices(names) {
    this.#sign("choices", names, "choice", 17, "mark", 0.3 * this.span);
  }

  #sign(layer, names, symbol, span, look, aside) {
    this.#draw(layer, names, (name) => {
      const { x, y } = this.cells.get(name);
      const sign = drawing(this.ground.prefix + symbol, span, look);
      const moved = element("g", { transform: `translate(${aside} ${-aside})` }, sign);
      return around(x, y, element("g", { class: "upright" }, moved));
    });
  }

  /** Arrows (`from`, `to`) and circles (`from`); `look` is their class. */
  showShapes(shapes) {
    this.#draw("shapes", shapes, ({ from, to, look = "drawn" }) => {
      const { x, y } = this.cells.get(from);
      if (!to || to === from) return element("circle", { class: `shape ${look}`, cx: x, cy: y, r: 0.46 * this.span });
      return this.#arrow(this.cells.get(from), this.cells.get(to), `shape ${look}`);
    });
  }

  #arrow(from, to, look) {
    const far = Math.hypot(to.x - from.x, to.y - from.y);
    const head = 0.34 * this.span;
    const along = far - 0.12 * this.span;
    const tip = `M${along} 0L${along - head} ${-head / 2}V${head / 2}z`;
    const angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
    return element(
      "g",
      { class: look, transform: `translate(${from.x} ${from.y}) rotate(${angle})` },
      element("path", { class: "shaft", d: `M0 0H${along - head}` }),
      element("path", { class: "tip", d: tip }),
    );
  }
}
