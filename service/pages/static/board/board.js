// The board of all pages: square or hexagonal, to look at or to play on. `set` takes state, `on` listens to events.
//
//   const board = await mountBoard(frame, { variant: "…" });
//   board.set({ position, orientation: "second", legal, viewOnly: false });
//   board.on("action", (action) => …);
//
// or, for a board to look at, without a script of the page's own (main.js mounts it; the element's content is
// shown until then):
//
//   (the page links board/layers.css)
//   <div data-board data-variant="…" data-fen="…" data-below="first" data-last="e2 e4"><img …></div>
//
// State; each part stays until it is set again:
//   position     {fen, ply, last, threatened, marked}: a board position from the service, or the parts of it that are known
//   standing     a Map of letters by cell, if they differ from `position.fen` (an action shown before it is answered); null
//   orientation  "first" or "second": the side at the bottom
//   legal        the legal actions, as the service sends them; [] if the reader cannot act
//   captures     captures decided by strength, as the service sends them [{from, to, attack, defence, verdict}]
//   refused      captures that fail, in the same form
//   plans        "first" or "second": the side whose pieces may be moved ahead of its turn while `legal` is empty; null
//   keepsPlan    whether a plan is kept, unseen, although `plans` is null: another position is being looked at
//   hand         letters of the pieces in the planner's hand, as a string; null if they are not counted
//   selectable   cells of which one is to be chosen (`picked`), instead of acting; null
//   shapes       arrows and circles [{from, to?, look?}]
//   waiting      whether the legal actions are not known yet: clicks and drags are kept until they are
//   viewOnly     whether the board takes no input
// Events: "action" (a legal action), "attempt" (the text of an illegal action, made by dragging), "select" (a cell of
// `selectable`), "refused" (one of `refused` was tried), "chosen" (an origin or null), "plan" ([from, to] or null),
// "dropped" (a plan that turned out to be illegal), "say" (text for screen readers).

import { Drawings } from "./drawings.js";
import { loadGeometry } from "./geometry.js";
import { Ground } from "./ground.js";
import { Keys } from "./keys.js";
import { Marks } from "./marks.js";
import { Pieces } from "./pieces.js";
import { Pointer } from "./pointer.js";
import { Selection } from "./selection.js";

/**
 * Mount a board in an element, replacing its content. `root` is an element around it that also contains the
 * pieces in hand (`data-hand`, `data-letter`). Rejects if the service does not answer.
 */
export async function mountBoard(frame, { variant, root = frame, viewOnly = false }) {
  return new Board(await loadGeometry(variant), frame, root, viewOnly);
}

/** A board on the page. */
export class Board {
  constructor(geometry, frame, root, viewOnly) {
    this.geometry = geometry;
    this.frame = frame;
    this.root = root;
    this.state = {
      position: { fen: "", ply: 0, last: [], threatened: [], marked: [] },
      ...{ standing: null, orientation: "first", legal: [], captures: [], refused: [], plans: null, keepsPlan: false, hand: null, selectable: null, picked: null, shapes: [], waiting: false },
      viewOnly,
    };
    this.listeners = new Map();
    this.ground = new Ground(geometry);
    this.pieces = new Pieces(this.ground);
    this.marks = new Marks(this.ground, this.pieces);
    this.selection = new Selection(this);
    if (!viewOnly) {
      this.drawings = new Drawings(this);
      this.pointer = new Pointer(this);
      this.keys = new Keys(this);
    }
    this.pieces.nameAll();
    this.mounted = false;
  }

  /** Listen to an event of the board. */
  on(name, heard) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), heard]);
  }

  tell(name, what) {
    for (const heard of this.listeners.get(name) ?? []) heard(what);
  }

  say(text) {
    this.tell("say", text);
  }

  /** Identifies the position shown: input begun in one position must not end in another. */
  get key() {
    return `${this.state.position.fen} ${this.shown}`;
  }

  /** Change parts of the state and show it. Returns the cells whose pieces have changed. */
  set(changes) {
    const { state } = this;
    const before = this.key;
    if ("position" in changes && !("standing" in changes)) state.standing = null;
    Object.assign(state, changes);
    const { position } = state;
    const standing = state.standing ?? this.geometry.place(position.fen);
    this.shown = state.standing ? [...standing].sort().join() : "";
    const moved = this.key !== before;
    if (moved) this.drawings?.clear();
    const changed = this.pieces.show(standing, this.mounted);
    this.ground.turn(state.orientation === "second");
    this.marks.showLast((position.last ?? []).filter((name) => this.geometry.cells.has(name)));
    this.marks.showThreats(position.threatened ?? []);
    this.marks.showChoices(position.marked ?? []);
    this.marks.showShapes([...state.shapes, ...(this.drawings?.shapes ?? [])]);
    this.#open();
    this.#mount();
    this.pointer?.keep();
    this.selection.renew(moved);
    // Deferred, so that the caller first finishes handling the new state.
    if (!state.waiting && this.selection.later.length) queueMicrotask(() => this.selection.catchUp());
    return changed;
  }

  /** Mark the cells that can be chosen, for the pointer's look. */
  #open() {
    const { selectable } = this.state;
    for (const [name, cell] of this.ground.cells) {
      cell.classList.toggle("open", selectable ? selectable.includes(name) : this.selection.begins(name));
    }
  }

  /** Put the board on the page the first time that everything is drawn. */
  #mount() {
    if (this.mounted) return;
    this.mounted = true;
    this.frame.replaceChildren(this.ground.picture);
    // The drawings that the legend used were in the service's picture, which has just been replaced.
    for (const one of this.root.querySelectorAll(".legend use")) one.setAttribute("href", `#${this.ground.prefix}${one.getAttribute("href").slice(1)}`);
  }
}
