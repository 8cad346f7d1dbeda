// The analysis page: a board on which both sides can be played, the tree of the variations tried, the lines that the
// engine has found, and the chart of a game.

import { mountBoard } from "../board/board.js";
import { repeatEarlyClicks } from "../board/early_clicks.js";
import { Bars } from "../game/bars.js";
import { Deeds } from "../game/deeds.js";
import { gettext } from "../language.js";
import { announce, csrf } from "../page.js";
import { Chart } from "./chart.js";
import { Editor } from "./editor.js";
import { EvaluationBar } from "./evaluation_bar.js";
import { Found, signOf } from "./found.js";
import { isToKeep, keepVariation, noteKept } from "./keeping.js";
import { showLines, showReleased } from "./lines.js";
import { readPosition, resolve } from "./positions.js";
import { Remarks } from "./remarks.js";
import { letTake } from "./taking.js";
import { Tree } from "./tree.js";
import { TreeView } from "./tree_view.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "flip" };
const LINES = 3;
const LONGEST = 3500;
const HEADERS = { Accept: "application/json" };

const part = (id) => document.getElementById(id);

class AnalysisPage {
  constructor(told) {
    this.told = told;
    this.place = document.querySelector("#board .position");
    this.below = told.below;
    this.tree = new Tree();
    this.tree.addTree(this.tree.root, told.main);
    noteKept(this.tree);
    this.tree.current = this.tree.addLine(this.tree.main(told.ply), told.line);
    this.gameFound = new Found(() => showReleased(() => this.showFound()));
    /** The analyses of positions asked for here, by position string. */
    this.found = new Map();
  }

  async start() {
    const { told, place } = this;
    this.board = await mountBoard(place.querySelector(".frame"), { variant: told.variant, root: place });
    this.bars = new Bars(place, this.board);
    this.deeds = new Deeds(this.board, (action) => this.play(action));
    this.view = new TreeView(part("tree"), { pick: (node) => this.go(node), number: numberOf });
    this.editor = new Editor(this.board, told);
    this.remarks = new Remarks(part("remark"), () => this.showFound());
    letTake(this, numberOf);
    this.board.on("action", (action) => this.play(action));
    this.board.on("attempt", (text) => this.type(text));
    this.board.on("chosen", (origin) => (this.bars.press(origin), this.deeds.choose(origin)));
    this.board.on("say", announce);
    if (told.game) {
      const label = gettext("Winning chance of {side} over the game", { side: told.side });
      this.chart = new Chart(part("chart"), { plies: told.main.length, label, pick: (ply) => this.go(this.tree.main(ply)) });
      this.gameFound.read(`/games/${told.game}/analysis`).catch(() => (part("chart").hidden = true));
    }
    await this.go(this.tree.current);
    // Without an answer the page stays as the service rendered it.
    if (!this.tree.current.told) return;
    this.#listen();
    repeatEarlyClicks(place);
  }

  #listen() {
    part("tools").addEventListener("click", (event) => {
      const tool = event.target.closest("[data-go]");
      if (!tool) return;
      event.preventDefault();
      this.step(tool.dataset.go);
    });
    document.addEventListener("keydown", (event) => {
      if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!KEYS[event.key]) return;
      event.preventDefault();
      this.step(KEYS[event.key]);
    });
    part("act").addEventListener("submit", (event) => this.#entered(event));
    part("ask")?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
    part("keep")?.addEventListener("click", () => this.keep());
    part("promote").addEventListener("click", () => {
      this.tree.promote(this.#promotable);
      this.show();
    });
    part("remove").addEventListener("click", () => {
      const { branch } = this.tree.current;
      if (!branch) return;
      this.tree.remove(branch);
      this.go(this.tree.current);
    });
  }

  /** Play the actions in the field, which gets its text back if they are refused and nothing else has been typed. */
  async #entered(event) {
    event.preventDefault();
    const field = event.target.elements.action;
    const text = field.value.trim();
    field.value = "";
    if (!(await this.type(text))) field.value ||= text;
  }

  /** The variation shown if it may be promoted, or null: a game's own line stays the main line. */
  get #promotable() {
    let node = this.tree.current;
    while (node.parent && node.parent.children[0] === node) node = node.parent;
    const ofGame = this.told.game && this.tree.main(node.ply) === node.parent?.children[0] && node.ply <= this.told.main.length;
    return node.parent && !ofGame ? node : null;
  }

  step(where) {
    const { current, root } = this.tree;
    if (where === "flip") {
      this.below = this.below === "first" ? "second" : "first";
      return this.show();
    }
    let last = current;
    while (last.children.length) last = last.children[0];
    this.go({ first: root, back: current.parent ?? root, on: current.children[0] ?? current, last }[where]);
  }

  /** Play a legal action of the position shown; returns what `go` does. */
  play(action) {
    const { current } = this.tree;
    const { number, to_act: side } = current.told.position;
    return this.go(this.tree.add(current, { action: action.action, san: action.san, number, side }));
  }

  /**
   * Play typed actions after the position shown; the service explains what is wrong with one, and then none is played.
   * Returns whether they are.
   */
  async type(text) {
    const { wanted, tree: { current } } = this;
    const known = current.told.actions.find((one) => one.san === text || one.action === text);
    if (known) return this.play(known);
    try {
      const last = this.tree.addLine(current, await resolve(this.told.variant, current.told, text));
      if (this.wanted === wanted) return this.go(last);
      // A reader who has gone elsewhere meanwhile stays there.
      this.showFound();
      return true;
    } catch (refused) {
      this.refuse(refused.message);
      return false;
    }
  }

  refuse(text) {
    part("problem").textContent = text;
    announce(text);
  }

  /** Show a position of the tree, unless the reader goes elsewhere meanwhile. Returns false if the service does not answer. */
  async go(node) {
    const wanted = (this.wanted = node);
    try {
      node.told ??= await this.#read(node);
    } catch {
      this.refuse(gettext("No answer. Try again."));
      return false;
    }
    if (this.wanted !== wanted) return true;
    this.tree.current = node;
    part("problem").textContent = "";
    this.show();
    announce(node.told.position.said);
    return true;
  }

  /** Ask for a position by all actions from the root, or, if these are too long, from the last known position. */
  async #read(node) {
    let from = node;
    const actions = [];
    while (from.parent && (!from.told || actions.length === 0)) {
      actions.unshift(from.action.action);
      from = from.parent;
    }
    const whole = node.line.map((one) => one.action).join(" ");
    const short = whole.length <= LONGEST;
    const fen = short ? this.told.fen : from.told.position.fen;
    return readPosition(this.told.variant, { fen, ...(node.parent ? { action: short ? whole : actions.join(" ") } : {}) });
  }

  show() {
    const { tree, board, below, told, place } = this;
    const { position, actions } = tree.current.told;
    Object.assign(place.dataset, { ply: tree.current.ply, fen: position.fen, below });
    const legal = actions.map((one) => ({ ...one, lasting: false }));
    board.set({ position: { ...position, ply: tree.current.ply }, standing: this.editor.piecesFrom(position), legal, orientation: below });
    this.bars.show(position, position.to_act, position.to_act);
    this.deeds.show(legal);
    place.querySelector(".turn").textContent = position.turn;
    part("legal").replaceChildren(...legal.map((one) => new Option(one.san, one.san)));
    part("fen").textContent = position.fen;
    document.querySelector('#search [name="fen"]').value = position.fen;
    this.editor.show(position);
    history.replaceState(null, "", `?${new URLSearchParams({ ...this.#address(), below })}`);
    part("practise").search = new URLSearchParams({ variant: told.variant, fen: position.fen, side: position.to_act ?? "first", computer: part("practise").dataset.computer });
    // A game's own actions are annotated on its page.
    this.remarks.show(told.game && tree.current === tree.main(tree.current.ply) && tree.current.ply <= told.main.length ? tree.root : tree.current);
    part("explore").search = new URLSearchParams({ variant: told.variant, fen: position.fen });
    this.showFound();
  }

  /** The query of the line shown; a very long line is reduced to its last position. */
  #address() {
    const { told, tree: { current } } = this;
    const from = told.game ? Math.min(current.branch?.parent.ply ?? current.ply, told.main.length) : 0;
    const line = current.line.slice(from).map((one) => one.action).join(" ");
    const begin = told.game ? { game: told.game, ply: from } : { variant: told.variant, fen: told.fen };
    if (line.length > LONGEST) return { variant: told.variant, fen: current.told.position.fen };
    return { ...begin, ...(line && { line }) };
  }

  /** Show the finding of the position, the signs in the list, and the chart. */
  showFound() {
    const { tree, gameFound, told } = this;
    const { current } = tree;
    if (!current.told) return;
    const own = this.found.get(current.told.position.fen);
    const finding = own?.at(0) ?? (told.game && !current.branch ? gameFound.at(current.ply) : null);
    const glyphs = new Map(gameFound.actions.map((one, at) => [at + 1, signOf(one)]));
    this.view.show(tree, glyphs);
    // Made late, because mounting the board replaces everything in the frame.
    this.evaluation ??= new EvaluationBar(this.place.querySelector(".frame"), told.side);
    this.evaluation.show(finding?.chance ?? null, this.below);
    const shown = own ?? gameFound;
    for (const one of [gameFound, ...this.found.values()]) one.follow(one === shown);
    const open = shown.told && !shown.told.ended_at && (own || told.game);
    part("progress").hidden = !open;
    if (open) part("progress").textContent = own ? (finding ? gettext("Analysing: depth {depth}", { depth: finding.depth }) : gettext("Analysing…")) : gettext("Analysing: {done} of {all} positions", { done: shown.done, all: shown.told.progress.of });
    const focused = part("found").contains(document.activeElement);
    if (finding || own) showLines(part("found"), finding, told.side, (san, line) => this.#step(san, line));
    else part("found").replaceChildren();
    // The line that was played is in the tree now.
    if (focused && document.activeElement === document.body) this.view.focus();
    this.chart?.show(gameFound.chances, gameFound.actions);
    this.chart?.mark(current.branch ? current.branch.parent.ply : current.ply);
    const pressed = document.activeElement;
    const { branch } = current;
    const keeps = branch && branch.ply <= told.main.length && isToKeep(branch);
    if (part("keep")) part("keep").hidden = !keeps;
    part("remove").hidden = !current.branch;
    part("promote").hidden = !this.#promotable;
    // The button that was pressed may have nothing more to do.
    if (pressed?.hidden) this.view.focus();
  }

  /** An action of a found line: a click plays the line up to it. */
  #step(san, line) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = san;
    button.addEventListener("click", () => this.#follow(line));
    return button;
  }

  /** Play the actions of a line. */
  #follow(line) {
    const { number, to_act: side } = this.tree.current.told.position;
    const [first, ...rest] = line;
    this.go(this.tree.addLine(this.tree.current, [{ ...first, number, side }, ...rest]));
  }

  /** Have the position shown analysed, and show findings as they come. */
  async ask() {
    const { variant } = this.told;
    const { fen } = this.tree.current.told.position;
    const before = this.found.get(fen);
    before?.follow(false);
    const found = new Found(() => showReleased(() => this.showFound()), false);
    this.found.set(fen, found);
    this.showFound();
    const headers = { ...HEADERS, "Content-Type": "application/json", "X-CSRF-Token": csrf() };
    const body = JSON.stringify({ variant, fen, lines: LINES });
    const answer = await fetch("/api/v1/analyses", { method: "POST", headers, body }).catch(() => null);
    // A proxy answers with a page.
    const told = await answer?.json().catch(() => null);
    if (answer?.ok && told) return found.take(told);
    if (this.found.get(fen) === found) before ? this.found.set(fen, before) : this.found.delete(fen);
    this.showFound();
    this.refuse(told?.detail ?? gettext("No answer. Try again."));
  }

  /** Keep the variation shown with the action of the game that it replaces. */
  async keep() {
    const refused = await keepVariation(this.told, this.tree.current.branch);
    if (refused) return this.refuse(refused);
    this.showFound();
    announce(gettext("The variation is saved with the game."));
    part("problem").textContent = gettext("The variation is saved with the game.");
  }
}

/** The number and the side of an action: its own if known, else counted on from the action before. */
function numberOf(node) {
  const { number, side } = node.action;
  if (number !== undefined) return { number, first: side === "first" };
  const before = numberOf(node.parent);
  return before.first ? { number: before.number, first: false } : { number: before.number + 1, first: true };
}

new AnalysisPage(JSON.parse(part("told").textContent)).start().catch(() => {
  // The page stays as the service rendered it, with working forms.
});
