// The board on the screen: which cell is where, and what is highlighted on it.

import { position } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";

/** The element of the cell of this name. */
export const cell = (name) => position().querySelector(`[data-cell="${name}"]`);

/** The piece that stands on the cell of this name. */
export const pieceOn = (name) => position().querySelector(`[data-on="${name}"]`);

/**
 * The cell at a pointer's place, if there is one. It is found by where the pointer is, not by what
 * it hit: whatever is drawn over the cells takes nothing away from them.
 */
export function cellAt({ clientX, clientY }) {
  return document.elementsFromPoint(clientX, clientY).find((one) => one.matches("#board [data-cell]"));
}

/** The name of the cell that a click meant: one on the picture of the board, not on what covers it. */
export const clickedCell = (event) => (event.target.closest?.("#board .frame") ? cellAt(event)?.dataset.cell : undefined);

/** Highlight a cell that can be chosen or reached. The group of highlights turns with the board. */
export function hint(name) {
  const box = cell(name).getBBox();
  const taken = pieceOn(name);
  const circle = document.createElementNS(SVG, "circle");
  circle.setAttribute("cx", box.x + box.width / 2);
  circle.setAttribute("cy", box.y + box.height / 2);
  circle.setAttribute("r", (taken ? 0.44 : 0.16) * Math.min(box.width, box.height));
  circle.setAttribute("class", `hint ${taken ? "capture" : "target"}`);
  circle.dataset.target = name;
  position().querySelector(".hints").append(circle);
}

/** Take away what is highlighted. */
export function clearBoard() {
  for (const old of position().querySelectorAll(".cell.chosen")) old.classList.remove("chosen");
  for (const old of position().querySelectorAll(".hint")) old.remove();
}
