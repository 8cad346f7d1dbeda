// The board itself, drawn once: cells, strokes, labels, and the layers for everything else.

import { gettext } from "../language.js";
import { around, element } from "./svg.js";

/** The layers from bottom to top; only the cells receive pointer events. */
const LAYERS = ["cells", "strokes", "last", "chosen", "labels", "threats", "pieces", "choices", "hints", "strengths", "plans", "shapes", "cursor"];

let sprites = 0;

/** The picture of an empty board, which is a grid to screen readers. */
export class Ground {
  constructor(geometry) {
    this.geometry = geometry;
    this.turning = element("g", { class: "turning" });
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, element("g", { class: `layer layer-${name}` })]));
    this.turning.append(...Object.values(this.layers));
    this.cells = new Map();
    this.picture = element("svg", {
      class: `board ${geometry.variant}`,
      role: "grid",
      "aria-label": gettext("Board"),
      // Large on purpose: the style sheet shrinks it to fit, which keeps its proportions.
      width: Math.round(geometry.width) * 10,
      height: Math.round(geometry.height) * 10,
      viewBox: `0 0 ${Math.round(geometry.width)} ${Math.round(geometry.height)}`,
    });
    this.picture.append(this.#sprite(), this.turning);
    this.#drawCells();
    for (const one of geometry.strokes) this.layers.strokes.append(element("path", { class: one.look, d: one.path }));
    for (const one of geometry.labels) {
      const text = element("text", { class: "upright", dy: ".35em" }, one.text);
      this.layers.labels.append(around(one.x, one.y, text));
    }
    this.layers.labels.classList.add("labels");
    for (const [name, layer] of Object.entries(this.layers)) if (name !== "cells") layer.setAttribute("aria-hidden", "true");
  }

  /** The drawings of the pieces, with ids of this board's own, since a page may have many boards. */
  #sprite() {
    this.prefix = `board${++sprites}-`;
    const parsed = new DOMParser().parseFromString(
      `<svg xmlns="http://www.w3.org/2000/svg">${this.geometry.symbols.join("")}</svg>`,
      "image/svg+xml",
    );
    const symbols = [...parsed.querySelectorAll("symbol")].map((one) => document.importNode(one, true));
    for (const one of symbols) one.id = this.prefix + one.id;
    return element("defs", {}, ...symbols);
  }

  #drawCells() {
    for (const names of this.geometry.rows) {
      const row = element("g", { role: "row" });
      for (const name of names) {
        const { path, look, text } = this.geometry.cells.get(name);
        const cell = element("path", { class: `cell ${look}`, "data-cell": name, d: path, role: "gridcell", tabindex: -1 });
        if (text) cell.append(element("title", {}, text));
        this.cells.set(name, cell);
        row.append(cell);
      }
      this.layers.cells.append(row);
    }
    this.cells.get(this.geometry.rows.at(-1)[0]).setAttribute("tabindex", "0");
  }

  /** Become a single picture, as inside a link: nothing in it takes the focus; screen readers get `words`, or nothing. */
  becomePicture(words) {
    this.picture.setAttribute("role", words ? "img" : "presentation");
    if (words) this.picture.setAttribute("aria-label", words);
    this.turning.setAttribute("aria-hidden", "true");
    for (const one of this.turning.querySelectorAll("[role]")) one.removeAttribute("role");
    for (const one of this.cells.values()) one.removeAttribute("tabindex");
  }

  /** Turn the board. Nothing else depends on which side is at the bottom. */
  turn(flipped) {
    if (this.flipped === flipped) return;
    this.flipped = flipped;
    const { width, height } = this.picture.viewBox.baseVal;
    this.turning.setAttribute("transform", flipped ? `rotate(180 ${width / 2} ${height / 2})` : "");
    this.picture.classList.toggle("flipped", flipped);
    // Screen readers start at the top left cell. A cell that is moved loses the focus.
    const focused = this.picture.contains(document.activeElement) ? document.activeElement : null;
    const rows = [...this.layers.cells.children];
    for (const row of rows.reverse()) {
      row.append(...[...row.children].reverse());
      this.layers.cells.append(row);
    }
    focused?.focus({ preventScroll: true });
  }

  /** The cell at a point of the screen, whatever covers it; null off the board. */
  cellAt(clientX, clientY) {
    const matrix = this.turning.getScreenCTM();
    if (!matrix) return null;
    const point = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    const name = this.geometry.nearest(point.x, point.y);
    return this.cells.get(name).isPointInFill(point) ? name : null;
  }

  /** The rectangle of a cell on the screen. */
  boxOf(name) {
    return this.cells.get(name).getBoundingClientRect();
  }

  /** Screen pixels per unit of the picture. */
  get scale() {
    return this.picture.getBoundingClientRect().width / this.picture.viewBox.baseVal.width;
  }
}
