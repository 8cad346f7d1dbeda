// The winning chance over a game, as a clickable chart that follows the replay.

import { element } from "../board/svg.js";
import { gettext } from "../language.js";
import { JUDGEMENTS } from "./found.js";

const WIDTH = 360;
const HEIGHT = 120;
const MARKS = { inaccuracy: 2.5, mistake: 3.5, blunder: 3.5 };

/** The chart of a game of `plies` plies; a click calls `pick(ply)`. */
export class Chart {
  constructor(place, { plies, label, pick }) {
    this.last = Math.max(1, plies);
    this.picture = element("svg", { class: "chances", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
    this.cursor = element("path", { class: "cursor" });
    place.replaceChildren(this.picture);
    this.picture.addEventListener("click", ({ clientX }) => {
      const { left, width } = this.picture.getBoundingClientRect();
      pick(Math.max(0, Math.min(plies, Math.round(((clientX - left) / width) * this.last))));
    });
  }

  #x = (ply) => (WIDTH * ply) / this.last;
  #y = (chance) => HEIGHT * (1 - chance);

  /** Draw the chances by ply (null where unknown) and mark the judged actions. */
  show(chances, actions) {
    const parts = [element("path", { class: "even", d: `M0 ${HEIGHT / 2}H${WIDTH}` })];
    for (const stretch of stretches(chances)) {
      const path = stretch.map(([ply, chance]) => `${this.#x(ply).toFixed(1)} ${this.#y(chance).toFixed(1)}`).join("L");
      const [begin, end] = [stretch[0][0], stretch.at(-1)[0]].map((ply) => this.#x(ply).toFixed(1));
      parts.push(element("path", { class: "area", d: `M${begin} ${HEIGHT}L${path}L${end} ${HEIGHT}Z` }));
      parts.push(element("path", { class: "curve", d: `M${path}${stretch.length === 1 ? "h.1" : ""}` }));
    }
    for (const [before, one] of actions.entries()) {
      const chance = chances[before + 1];
      if (!one?.judgement || chance === undefined || chance === null) continue;
      const mark = { cx: this.#x(before + 1).toFixed(1), cy: this.#y(chance).toFixed(1), r: MARKS[one.judgement] };
      const circle = element("circle", { class: one.judgement, ...mark });
      const title = element("title", {});
      title.textContent = gettext("{ply}: {judgement}, {loss} % given away", { ply: before + 1, judgement: JUDGEMENTS[one.judgement], loss: Math.round(100 * one.loss) });
      circle.append(title);
      parts.push(circle);
    }
    this.picture.replaceChildren(...parts, this.cursor);
  }

  /** Mark the ply whose position is on the board. */
  mark(ply) {
    this.cursor.setAttribute("d", `M${this.#x(ply).toFixed(1)} 0V${HEIGHT}`);
  }
}

/** The runs of known chances, as lists of [ply, chance]. */
function stretches(chances) {
  const found = [];
  for (const [ply, chance] of chances.entries()) {
    if (chance === null) continue;
    if (ply === 0 || chances[ply - 1] === null) found.push([]);
    found.at(-1).push([ply, chance]);
  }
  return found;
}
