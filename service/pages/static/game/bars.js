// The two bars that touch the board: whose turn it is, points, and the pieces beside the board.

import { element } from "../board/svg.js";
import { ngettext } from "../language.js";

const SPAN = 40;

/** The bars of both sides, within the element of the position. */
export class Bars {
  constructor(place, board) {
    this.place = place;
    this.board = board;
    this.shown = new Map();
    this.chosen = null;
  }

  /** Show points and trays; `usable` is the side whose pieces in hand can be placed, now or in a plan, or null. */
  show(position, usable, toAct) {
    for (const [at, side] of ["first", "second"].entries()) {
      const bar = this.place.querySelector(`.beside[data-side="${side}"]`);
      bar.classList.toggle("acts", side === toAct);
      const points = bar.querySelector(".points");
      points.hidden = !position.points;
      if (position.points) points.textContent = ngettext("{num} point", "{num} points", position.points[at]);
      this.#fill(bar.querySelector(".trays"), position.trays.filter((one) => one.side === side), usable === side);
    }
  }

  /** Draw the trays of a side again if they have changed. */
  #fill(place, trays, usable) {
    const key = JSON.stringify([trays, usable]);
    if (this.shown.get(place) === key) return;
    this.shown.set(place, key);
    place.replaceChildren(...trays.map((one) => this.#tray(one, usable && one.in_hand)));
  }

  #tray({ title, pieces, in_hand: hand }, usable) {
    const tray = document.createElement("div");
    tray.className = hand ? "tray hand" : "tray";
    const said = document.createElement("span");
    said.className = "tray-title";
    said.textContent = `${title}: `;
    const counts = new Map();
    for (const letter of pieces) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    tray.append(said, ...[...counts].map(([letter, count]) => this.#held(letter, count, usable)));
    return tray;
  }

  #held(letter, count, usable) {
    const { geometry, pieces } = this.board;
    const figure = geometry.figure(letter, null);
    const held = document.createElement(usable ? "button" : "span");
    held.className = "held";
    held.title = figure.text;
    if (usable) {
      held.type = "button";
      held.dataset.hand = letter.toUpperCase();
      held.dataset.letter = letter;
      held.setAttribute("aria-label", `${figure.text}${count > 1 ? `, ${count}` : ""}`);
      held.setAttribute("aria-pressed", String(letter === this.chosen));
    }
    const box = `${-SPAN / 2} ${-SPAN / 2} ${SPAN} ${SPAN}`;
    const picture = element("svg", { class: `board ${geometry.variant}`, viewBox: box, "aria-hidden": "true" });
    picture.append(pieces.draw(figure, SPAN));
    held.append(picture);
    const name = document.createElement("span");
    name.className = "unseen";
    name.textContent = figure.text;
    held.append(name);
    if (count > 1) held.append(Object.assign(document.createElement("span"), { className: "count", textContent: `×${count}` }));
    return held;
  }

  /** Mark the chosen piece in hand. */
  press(origin) {
    this.chosen = origin;
    for (const held of this.place.querySelectorAll("[data-hand]")) {
      held.setAttribute("aria-pressed", String(held.dataset.letter === origin));
    }
  }
}
