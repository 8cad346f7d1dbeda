// The variations of an analysis: a tree of actions from a position on. Nothing here knows the page.

/** @typedef {{action: string, san: string, number?: number, side?: "first" | "second"}} Action in coordinate form and
 *   in SAN, with the number of its full move and its side where they are known */

/** A position in the tree: the action that led to it, and what may follow. The first child is the main line. */
export class Node {
  constructor(parent, action) {
    this.parent = parent;
    /** @type {Action?} null at the root */
    this.action = action;
    this.ply = parent ? parent.ply + 1 : 0;
    /** @type {Node[]} */
    this.children = [];
    /** What the service has told of the position: `position`, `actions`; null before. */
    this.told = null;
  }

  /** The actions from the root to here. */
  get line() {
    const found = [];
    for (let node = this; node.parent; node = node.parent) found.unshift(node.action);
    return found;
  }

  /** Where the line that leads here left the first one: the first node that is no first child; null on the main line. */
  get branch() {
    let found = null;
    for (let node = this; node.parent; node = node.parent) if (node.parent.children[0] !== node) found = node;
    return found;
  }
}

/** A tree with the place in it that is shown. */
export class Tree {
  constructor() {
    this.root = new Node(null, null);
    this.current = this.root;
  }

  /** The node behind an action in a position, made where there is none yet. */
  add(parent, action) {
    const known = parent.children.find((one) => one.action.action === action.action);
    if (known) return known;
    const node = new Node(parent, action);
    parent.children.push(node);
    return node;
  }

  /** Add a line of actions; the last node of it. */
  addLine(parent, actions) {
    return actions.reduce((node, action) => this.add(node, action), parent);
  }

  /** The node after so many actions of the main line, or its last one. */
  main(ply) {
    let node = this.root;
    while (node.children.length && node.ply < ply) node = node.children[0];
    return node;
  }

  /** Take a node and all behind it away; its parent is shown instead if it was there. */
  remove(node) {
    node.parent.children = node.parent.children.filter((one) => one !== node);
    for (let at = this.current; at; at = at.parent) if (at === node) this.current = node.parent;
  }
}

/** A node and the variations behind it as movetext, without numbers: what a record has in parentheses. */
export function writeMovetext(node) {
  const words = [];
  for (let at = node; at; at = at.children[0]) {
    words.push(at.action.san);
    if (at === node) continue;
    for (const other of at.parent.children.slice(1)) words.push(`(${writeMovetext(other)})`);
  }
  return words.join(" ");
}
