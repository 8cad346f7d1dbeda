// The variations of an analysis: a tree of actions from a position on. Nothing here knows the page.

/** @typedef {{action: string, san: string, number?: number, side?: "first" | "second", nags?: number[], comments?: string[]}} Action in coordinate form and
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

  /** Add a line of which actions may have `variations`, lines that replace them; the last node of its main line. */
  addTree(parent, items) {
    let node = parent;
    for (const item of items) {
      const next = this.add(node, item);
      for (const other of item.variations ?? []) this.addTree(node, other);
      node = next;
    }
    return node;
  }

  /** Have a variation be the line that it leaves. */
  promote(node) {
    node.parent.children = [node, ...node.parent.children.filter((one) => one !== node)];
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

/** An action with the glyphs and comments beside it, as a record writes them. */
const written = ({ san, nags = [], comments = [] }) => [san, ...nags.map((nag) => `$${nag}`), ...comments.map((one) => `{${one}}`)];

/** A node and the variations behind it as movetext, without numbers: what a record has in parentheses. */
export function writeMovetext(node) {
  const words = [];
  for (let at = node; at; at = at.children[0]) {
    words.push(...written(at.action));
    if (at === node) continue;
    for (const other of at.parent.children.slice(1)) words.push(`(${writeMovetext(other)})`);
  }
  return words.join(" ");
}

/** The whole tree as a record; `number(node)` tells the number of an action and whether it is the first side's. */
export function writeRecord(tree, { variant, fen, start }, number) {
  const tags = [["Result", "*"], ["Variant", variant], ...(fen === start ? [] : [["SetUp", "1"], ["FEN", fen]])];
  const words = [];
  for (let at = tree.root.children[0]; at; at = at.children[0]) {
    const { number: told, first } = number(at);
    if (first || at.parent === tree.root) words.push(`${told}${first ? "." : "..."}`);
    words.push(...written(at.action));
    for (const other of at.parent.children.slice(1)) words.push(`(${writeMovetext(other)})`);
  }
  return `${tags.map(([name, value]) => `[${name} "${value}"]`).join("\n")}\n\n${[...words, "*"].join(" ")}\n`;
}
