// The winning chance of both sides as a bar along the board.

import { gettext } from "../language.js";

/** A bar along an element that holds a board; `side` is the first side's name. */
export class EvaluationBar {
  constructor(frame, side) {
    this.bar = document.createElement("div");
    this.bar.className = "evaluation-bar";
    this.bar.setAttribute("role", "meter");
    this.bar.setAttribute("aria-label", gettext("Winning chance of {side}", { side }));
    this.bar.setAttribute("aria-valuemin", "0");
    this.bar.setAttribute("aria-valuemax", "100");
    this.bar.append(document.createElement("span"));
    frame.classList.add("evaluated");
    frame.append(this.bar);
  }

  /** Show the first side's chance (null if unknown), with the side `below` at the bottom. */
  show(chance, below) {
    this.bar.hidden = chance === null;
    if (chance === null) return;
    const percent = Math.round(100 * chance);
    this.bar.classList.toggle("turned", below === "second");
    this.bar.firstChild.style.height = `${percent}%`;
    this.bar.setAttribute("aria-valuenow", percent);
    this.bar.title = `${percent} %`;
  }
}
