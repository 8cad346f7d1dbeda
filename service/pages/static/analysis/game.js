// The analysis on a game's page: its chart, the signs in the list of actions, and the bar and lines of the position shown.

import { gettext } from "../language.js";
import { load } from "../page.js";
import { Chart } from "./chart.js";
import { EvaluationBar } from "./evaluation_bar.js";
import { Found, JUDGEMENTS, signOf } from "./found.js";
import { showLines, showReleased } from "./lines.js";

const part = (id) => document.getElementById(id);
const position = () => document.querySelector("#board .position");

class GameAnalysis {
  constructor(section) {
    this.section = section;
    const { game, plies, label, side } = section.dataset;
    this.game = game;
    this.side = side;
    this.chart = new Chart(part("chart"), { plies: Number(plies), label, pick: look });
    this.found = new Found(() => showReleased(() => this.show()));
    // These attributes change whenever the page shows another position, for whatever reason.
    new MutationObserver(() => this.follow()).observe(position(), { attributeFilter: ["data-ply", "data-below", "data-leaves"] });
    document.addEventListener("shown", () => this.show());
  }

  start() {
    return this.found.read(`/games/${this.game}/analysis`);
  }

  /** Show all findings. */
  show() {
    const { found } = this;
    if (!found.told) return;
    this.chart.show(found.chances, found.actions);
    const bar = part("analysing");
    bar.hidden = Boolean(found.told.ended_at);
    const { max } = Object.assign(bar.querySelector("progress"), { value: found.done });
    part("analysed").textContent = gettext("Analysing: {done} of {number} positions", { done: found.done, number: max });
    if (found.told.ended_at) {
      this.tally().catch(() => {
        // Without an answer the tallies are missing; the list still shows each action's sign.
      });
    }
    this.sign();
    this.follow();
  }

  /** Load how each side played from the service: a page sent while the analysis was running does not have it. */
  async tally() {
    if (this.tallied) return;
    this.tallied = true;
    const place = part("tallies");
    if (place.childElementCount) return;
    const fresh = new DOMParser().parseFromString(await load(), "text/html").getElementById("tallies");
    if (fresh) place.replaceWith(fresh);
  }

  /** Put the signs of the judged actions into the list. */
  sign() {
    for (const link of document.querySelectorAll("#moves ol [data-ply]")) {
      const judged = this.found.actions[Number(link.dataset.ply) - 1];
      const sign = signOf(judged);
      link.querySelector(".sign")?.remove();
      if (!sign) continue;
      const shown = document.createElement("span");
      shown.className = sign === "!" ? "sign only" : "sign";
      shown.textContent = sign;
      shown.title = judged.judgement ? JUDGEMENTS[judged.judgement] : gettext("the only good action");
      link.append(shown);
    }
  }

  /** Show the finding of the position on the board. */
  follow() {
    const { ply, below, leaves } = position().dataset;
    const frame = position().querySelector(".frame");
    if (!frame.querySelector(".evaluation-bar")) this.bar = new EvaluationBar(frame, this.side);
    // In a line beside the game, show the finding of the position where it leaves the game; its own positions have none.
    const from = Number(leaves ?? ply);
    const finding = this.found.at(from);
    this.chart.mark(from);
    this.bar.show(leaves ? null : (finding?.chance ?? null), below);
    if (this.shown?.finding === finding && this.shown?.from === from) return;
    this.shown = { finding, from };
    showLines(part("found"), finding, this.side, (san, line) => this.step(san, from, line));
    document.dispatchEvent(new Event("steps"));
  }

  /** An action of a line: a link to the analysis board, handled on this page by `game/sideline.js`. */
  step(san, ply, line) {
    const link = document.createElement("a");
    link.className = "step";
    link.textContent = san;
    link.href = `/analysis?${new URLSearchParams({ game: this.game, ply, line: line.map((one) => one.action).join(" ") })}`;
    return link;
  }
}

/** Show a position by moving the page's slider. */
function look(ply) {
  const slider = part("slider");
  slider.value = ply;
  slider.dispatchEvent(new Event("input"));
}

const section = document.querySelector("#evaluation[data-game]");
if (section) {
  new GameAnalysis(section).start().catch(() => {
    // Without an answer only the analysis is missing.
  });
}
