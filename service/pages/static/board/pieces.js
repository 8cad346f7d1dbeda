// The pieces on a board. A new position is compared with the old one, and only the differences are redrawn.

import { gettext } from "../language.js";
import { around, drawing, element } from "./svg.js";

const SLIDE = 160;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The layer of pieces. `standing` has their letters by cell. */
export class Pieces {
  constructor(ground) {
    this.ground = ground;
    this.geometry = ground.geometry;
    this.standing = new Map();
    this.elements = new Map();
  }

  /**
   * Show a position; if `animated`, moved pieces slide. Only the drawing slides: the attributes that say where
   * a piece stands change at once. Returns the changed cells.
   */
  show(standing, animated) {
    const names = new Set([...this.standing.keys(), ...standing.keys()]);
    const changed = [...names].filter((name) => this.standing.get(name) !== standing.get(name));
    const left = changed.filter((name) => this.standing.has(name));
    const came = changed.filter((name) => standing.has(name));
    const origins = new Map(came.map((name) => [name, this.#originOf(name, standing.get(name), left, standing)]));
    for (const name of left) this.#remove(name);
    const slides = animated && !still.matches && came.length <= 4;
    for (const name of came) this.#put(name, standing.get(name), slides ? origins.get(name) : null);
    this.standing = new Map(standing);
    for (const name of changed) this.#name(name);
    return changed;
  }

  /** The cell that a piece came from: of the cells left, the nearest with the same letter, or null. */
  #originOf(name, letter, left, standing) {
    const own = this.geometry.cells.get(name);
    const far = (one) => Math.hypot(this.geometry.cells.get(one).x - own.x, this.geometry.cells.get(one).y - own.y);
    const alike = left.filter((one) => one !== name && this.standing.get(one) === letter && standing.get(one) !== letter);
    return alike.sort((one, other) => far(one) - far(other))[0] ?? null;
  }

  #remove(name) {
    this.elements.get(name)?.remove();
    this.elements.delete(name);
  }

  #put(name, letter, origin) {
    const { cells, span } = this.geometry;
    const { x, y } = cells.get(name);
    const figure = this.geometry.figure(letter, name);
    const place = element("rect", { class: "room", x: -span / 2, y: -span / 2, width: span, height: span });
    place.dataset.piece = figure.name;
    place.dataset.on = name;
    const drawn = element("g", { class: "drawn" }, this.draw(figure, span));
    const made = around(x, y, place, drawn);
    this.elements.set(name, made);
    this.ground.layers.pieces.append(made);
    if (!origin) return;
    const from = cells.get(origin);
    const start = `translate(${from.x - x}px, ${from.y - y}px)`;
    drawn.animate([{ transform: start }, { transform: "none" }], { duration: SLIDE, easing: "ease-out" });
  }

  /** A piece centred at the origin. */
  draw(figure, span) {
    return drawing(this.ground.prefix + figure.symbol, span, `piece ${figure.side ?? "first"} upright`);
  }

  /** Set the accessible name of a cell. */
  #name(name) {
    const letter = this.standing.get(name);
    const piece = letter ? this.geometry.figure(letter, name).text : gettext("empty");
    this.ground.cells.get(name).setAttribute("aria-label", `${name}, ${piece}`);
  }

  /** Name every cell, including those that have always been empty. */
  nameAll() {
    for (const name of this.geometry.cells.keys()) this.#name(name);
  }

  /** The side of the piece on a cell: `first`, `second`, or null. */
  sideOf(name) {
    const letter = this.standing.get(name);
    return letter ? this.geometry.figure(letter, name).side : null;
  }

  /** Show the piece on a cell as lifted, or not. */
  lift(name, lifted) {
    this.elements.get(name)?.classList.toggle("lifted", lifted);
  }
}
