// The list of a game's actions.

import { gettext } from "../language.js";

/** A pass, in every notation; the template of the list explains it as well. */
const PASS = "--";

const list = () => document.querySelector("#moves ol");

/** The entry of an action, if the page's part of the list contains it. */
export const listed = (ply) => document.querySelector(`#moves ol [data-ply="${ply}"]`);

/** Append the action that led to `position` after the one that led to `before`, unless the page's list ends earlier. */
export function append(before, position) {
  if (listed(position.ply) || (before.ply && !listed(before.ply))) return;
  if (!before.ply) list().replaceChildren();
  const side = before.to_act;
  const entry = document.createElement("li");
  entry.className = side;
  const link = document.createElement("a");
  link.href = `?ply=${position.ply}`;
  link.dataset.ply = position.ply;
  const alone = side === "second" && !list().children.length;
  if (side === "first" || alone) {
    const number = document.createElement("span");
    number.className = "quiet";
    number.textContent = `${before.number}${alone ? "..." : "."}`;
    link.append(number, " ");
  }
  link.append(position.san);
  if (position.san === PASS) {
    const said = document.createElement("span");
    said.className = "quiet";
    said.textContent = gettext("pass");
    link.append(" ", said);
  }
  entry.append(link);
  list().append(entry);
}

/** Mark the action that led to the position shown, and scroll the list to it. */
export function mark(ply) {
  for (const old of document.querySelectorAll("#moves [data-ply][aria-current]")) old.removeAttribute("aria-current");
  const current = listed(ply);
  if (!current) return;
  current.setAttribute("aria-current", "true");
  const place = document.getElementById("moves");
  const middle = place.getBoundingClientRect().top + place.clientHeight / 2;
  place.scrollTop += current.getBoundingClientRect().top - middle;
}
