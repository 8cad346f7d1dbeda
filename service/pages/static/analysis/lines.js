// The best lines found in a position; each action of a line can be played on the board.

import { gettext, language, ngettext } from "../language.js";

const LONGEST = 12;
const MOMENT = 50;
const DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/**
 * Show a finding (or null) in an element; `side` is the name of the first side, whose chance is shown. `step(san, actions)`
 * makes the element of an action from its text and all actions of the line up to it. The focus stays at its place in the lines;
 * without lines it goes to the element, if that can have it.
 */
export function showLines(place, finding, side, step) {
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  write(place, finding, side, step);
  if (focused) (place.querySelector(`[data-at="${focused.dataset.at}"]`) ?? place.querySelector("[data-at]") ?? place).focus({ preventScroll: true });
}

/** Show news once nothing of the analysis is pressed: a click on an element that was replaced meanwhile is lost. */
export function showReleased(show) {
  if (document.querySelector("#found:active, #tree:active")) setTimeout(showReleased, MOMENT, show);
  else show();
}

function write(place, finding, side, step) {
  if (!finding?.lines.length) return place.replaceChildren(told(finding));
  const list = document.createElement("ol");
  list.className = "lines";
  for (const [number, line] of finding.lines.entries()) {
    const item = document.createElement("li");
    const score = document.createElement("strong");
    score.textContent = `${line.score < 0 ? "−" : "+"}${(Math.abs(line.score) / 100).toLocaleString(language(), DECIMALS)}`;
    item.append(score);
    for (const [at, san] of line.san.slice(0, LONGEST).entries()) {
      const shown = step(san, line.actions.slice(0, at + 1).map((action, n) => ({ action, san: line.san[n] })));
      shown.dataset.at = `${number} ${at}`;
      item.append(" ", shown);
    }
    if (line.plies_to_end !== null) item.append(quiet(` ${ngettext("ends after {num} action", "ends after {num} actions", line.plies_to_end)}`));
    list.append(item);
  }
  place.replaceChildren(summary(finding, side), list);
}

function summary({ chance, depth, nodes, worlds }, side) {
  const said = document.createElement("p");
  const strong = document.createElement("strong");
  strong.textContent = `${Math.round(100 * chance)} %`;
  const numbers = { depth, nodes: nodes.toLocaleString(language()), worlds };
  const how = worlds > 1 ? gettext("(depth {depth}, {nodes} nodes, {worlds} guesses at the unknown choices)", numbers) : gettext("(depth {depth}, {nodes} nodes)", numbers);
  const whose = gettext("winning chance of {side}", { side });
  said.append(strong, ` ${whose} `, quiet(how));
  return said;
}

function told(finding) {
  const said = document.createElement("p");
  said.className = "quiet";
  said.textContent = finding ? gettext("The game is over in this position.") : gettext("Nothing found yet.");
  return said;
}

function quiet(text) {
  const said = document.createElement("span");
  said.className = "quiet";
  said.textContent = text;
  return said;
}
