// The board of all pages: square or hexagonal, to look at or to play on. State goes in by `set`, events come out.
//
//   const board = await mountBoard(frame, { variant: "…" });
//   board.set({ position, orientation: "second", legal, viewOnly: false });
//   board.on("action", (action) => …);
//
// or, for a board to look at, without a script of the page's own (main.js mounts it; what is in the element
// is shown until then):
//
//   (the page links board/layers.css)
//   <div data-board data-variant="…" data-fen="…" data-below="first" data-last="e2 e4"><img …></div>
//
// State, each part kept until it is set again:
//   position     {fen, ply, last, threatened, marked}: a board position of the service, or as much of it as is known
//   standing     a Map of letters by cell, where they are not those of `position.fen` (an action shown ahead of its answer)
//   orientation  "first" or "second": whose side is below
//   legal        the legal actions, as the service tells them; [] where the reader cannot act
//   captures     captures where strength decides, as the service tells them [{from, to, attack, defence, verdict}]
//   refused      captures that fail, told alike
//   plans        "first" or "second": whose pieces may be moved ahead of their turn while `legal` is empty; null
//   hand         letters that the planner has in hand, as a string; null where nobody counts them
//   selectable   cells of which one is to be chosen (`picked`), instead of acting; null
//   shapes       arrows and circles [{from, to?, look?}]
//   waiting      whether it is not told yet what can be done: what a hand does meanwhile is done when it is
//   viewOnly     whether nothing can be done on it
// Events: "action" (a legal action), "attempt" (text of an action that is not legal, dropped all the same), "select" (a
// cell of `selectable`), "refused" (one of `refused` was tried), "chosen" (an origin or null), "plan" ([from, to] or null), "dropped" (a plan that is not legal now), "say" (text for screen readers).

import { Drawings } from "./drawings.js";
import { loadGeometry } from "./geometry.js";
import { Ground } from "./ground.js";
import { Keys } from "./keys.js";
import { Marks } from "./marks.js";
import { Pieces } from "./pieces.js";
import { Pointer } from "./pointer.js";
import { Selection } from "./selection.js";

/**
 * Put a board into an element, in the place of what is there. `root` is an element around it which also has
 * the pieces in hand (`data-hand`, `data-letter`). The promise fails if the service does not answer.
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
      ...{ standing: null, orientation: "first", legal: [], captures: [], refused: [], plans: null, hand: null, selectable: null, picked: null, shapes: [], waiting: false },
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

  /** Hear an event of the board. */
  on(name, heard) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), heard]);
  }

  tell(name, what) {
    for (const heard of this.listeners.get(name) ?? []) heard(what);
  }

  say(text) {
    this.tell("say", text);
  }

  /** What stands for the position shown: what was begun in one is not ended in another. */
  get key() {
    return `${this.state.position.fen} ${this.shown}`;
  }

  /** Change parts of the state, and show it. Returns the cells whose pieces differ. */
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
    // Whoever has set this state first sees to what else goes with it.
    if (!state.waiting && this.selection.later.length) queueMicrotask(() => this.selection.catchUp());
    return changed;
  }

  /** Have the cells that can be chosen show it to the pointer. */
  #open() {
    const { selectable } = this.state;
    for (const [name, cell] of this.ground.cells) {
      cell.classList.toggle("open", selectable ? selectable.includes(name) : this.selection.begins(name));
    }
  }

  /** A board comes onto the page when everything is on it, and not before. */
  #mount() {
    if (this.mounted) return;
    this.mounted = true;
    this.frame.replaceChildren(this.ground.picture);
    // The drawings of the service's picture have gone with it.
    for (const one of this.root.querySelectorAll(".legend use")) one.setAttribute("href", `#${this.ground.prefix}${one.getAttribute("href").slice(1)}`);
  }
}
