// The analysis on a game's page: its chart, the signs in the list of actions, the bar along the board and the lines,
// all of the position that the page shows.

import { Chart } from "./chart.js";
import { EvaluationBar } from "./evaluation_bar.js";
import { Found, signOf } from "./found.js";
import { showLines } from "./lines.js";

const part = (id) => document.getElementById(id);
const position = () => document.querySelector("#board .position");

class GameAnalysis {
  constructor(section) {
    this.section = section;
    const { game, plies, label } = section.dataset;
    this.game = game;
    this.chart = new Chart(part("chart"), { plies: Number(plies), label, pick: look });
    this.found = new Found(() => this.show());
    // The page shows another position: by its attribute, whatever has led to it.
    new MutationObserver(() => this.follow()).observe(position(), { attributeFilter: ["data-ply", "data-below"] });
    document.addEventListener("shown", () => this.show());
  }

  start() {
    return this.found.read(`/games/${this.game}/analysis`);
  }

  /** Show all that was found. */
  show() {
    const { found } = this;
    if (!found.told) return;
    this.chart.show(found.chances, found.actions);
    const bar = part("analysing");
    bar.hidden = Boolean(found.told.ended_at);
    bar.querySelector("progress").value = found.done;
    this.sign();
    this.follow();
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
      shown.title = judged.judgement ?? "the only good action";
      link.append(shown);
    }
  }

  /** Show what was found of the position on the board. */
  follow() {
    const { ply, below } = position().dataset;
    const frame = position().querySelector(".frame");
    if (!frame.querySelector(".evaluation-bar")) this.bar = new EvaluationBar(frame);
    const finding = this.found.at(Number(ply));
    this.chart.mark(Number(ply));
    this.bar.show(finding?.chance ?? null, below);
    showLines(part("found"), finding, (line) => this.open(Number(ply), line));
  }

  /** A line is played on the analysis page. */
  open(ply, line) {
    const query = new URLSearchParams({ game: this.game, ply, line: line.map((one) => one.action).join(" ") });
    location.assign(`/analysis?${query}`);
  }
}

/** Show a position by the page's own slider. */
function look(ply) {
  const slider = part("slider");
  slider.value = ply;
  slider.dispatchEvent(new Event("input"));
}

const section = document.querySelector("#evaluation[data-game]");
if (section) {
  new GameAnalysis(section).start().catch(() => {
    // Without an answer the page has no chart, and all else.
  });
}
