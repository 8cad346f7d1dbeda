// The tree of variations on the page: the main line as a list of actions, variations in parentheses.

import { gettext } from "../language.js";

/** The traditional signs of glyphs. */
const SIGNS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

/** The actions of a tree as a list; a click calls `pick(node)`. */
export class TreeView {
  constructor(place, { pick, number }) {
    this.place = place;
    /** Returns the number of a node's action in records and whether it is the first side's: `{number, first}`. */
    this.number = number;
    /** The tree as it was written last, an element. */
    this.written = null;
    /** The nodes by their buttons. */
    this.nodes = new Map();
    place.addEventListener("click", (event) => {
      const chosen = event.target.closest("[data-node]");
      if (!chosen || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      pick(this.nodes.get(chosen));
    });
  }

  /** Show a tree and mark its current node. `glyphs` are signs by ply of the main line. */
  show(tree, glyphs = new Map()) {
    this.glyphs = glyphs;
    const focused = this.nodes.get(document.activeElement);
    const before = this.place.querySelector("[aria-current]");
    before?.removeAttribute("aria-current");
    this.#write(tree);
    this.current = this.#find(tree.current);
    this.current?.setAttribute("aria-current", "true");
    if (this.current && this.current !== before) this.#scroll();
    if (focused && !this.nodes.has(document.activeElement)) (this.#find(focused) ?? this.current ?? this.place).focus({ preventScroll: true });
  }

  /** Focus the current node. */
  focus() {
    (this.current ?? this.place).focus({ preventScroll: true });
  }

  #find(wanted) {
    return [...this.nodes].find(([, node]) => node === wanted)?.[0];
  }

  #scroll() {
    const middle = this.place.getBoundingClientRect().top + this.place.clientHeight / 2;
    this.place.scrollTop += this.current.getBoundingClientRect().top - middle;
  }

  /** Write the tree, unless the same is written already: then its buttons keep the focus, and clicks that have begun. */
  #write(tree) {
    const root = document.createElement("p");
    root.className = "tree-line";
    this.nodes = new Map();
    this.#follow(tree.root, root, true);
    if (!tree.root.children.length) root.append(gettext("Play on the board: each action is kept here."));
    if (!this.written?.isEqualNode(root)) return this.place.replaceChildren((this.written = root));
    const nodes = [...this.nodes.values()];
    this.nodes = new Map([...this.written.querySelectorAll("[data-node]")].map((button, at) => [button, nodes[at]]));
  }

  /** Write the line after a node, with the variations that branch off it. */
  #follow(node, place, begins) {
    let numbered = begins;
    for (let at = node; at.children.length; at = at.children[0]) {
      const [next, ...others] = at.children;
      place.append(this.#button(next, numbered), ...this.#comments(next));
      numbered = others.length > 0;
      for (const other of others) place.append(" ", this.#variation(other));
      if (next.children.length) place.append(" ");
    }
  }

  #variation(node) {
    const place = document.createElement("span");
    place.className = "variation";
    place.append("(", this.#button(node, true), ...this.#comments(node));
    if (node.children.length) place.append(" ");
    this.#follow(node, place, false);
    place.append(")");
    return place;
  }

  #comments({ action: { comments = [] } }) {
    return comments.map((text) => Object.assign(document.createElement("span"), { className: "comment", textContent: ` ${text}` }));
  }

  #button(node, numbered) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.dataset.node = node.ply;
    const { number, first } = this.number(node);
    const said = first ? `${number}. ` : numbered ? `${number}... ` : "";
    const own = (node.action.nags ?? []).map((nag) => SIGNS[nag] ?? ` $${nag}`).join("");
    const sign = own || (node.branch ? "" : (this.glyphs.get(node.ply) ?? ""));
    button.textContent = said + node.action.san + sign;
    this.nodes.set(button, node);
    return button;
  }
}
