// The variations of an analysis: a tree of actions that starts at a position. Nothing here knows the page.

/** @typedef {{action: string, san: string, number?: number, side?: "first" | "second", nags?: number[], comments?: string[]}} Action in coordinate form and
 *   in SAN, with the number of its full move and its side where they are known */

/** A position in the tree, with the action that led to it and its continuations. The first child is the main line. */
export class Node {
  constructor(parent, action) {
    this.parent = parent;
    /** @type {Action?} null at the root */
    this.action = action;
    this.ply = parent ? parent.ply + 1 : 0;
    /** @type {Node[]} */
    this.children = [];
    /** The service's answer for the position (`position`, `actions`); null until it is read. */
    this.told = null;
  }

  /** The actions from the root to here. */
  get line() {
    const found = [];
    for (let node = this; node.parent; node = node.parent) found.unshift(node.action);
    return found;
  }

  /** The first node on the way here that is not a first child, where it leaves the main line; null on the main line. */
  get branch() {
    let found = null;
    for (let node = this; node.parent; node = node.parent) if (node.parent.children[0] !== node) found = node;
    return found;
  }
}

/** A tree and its current node. */
export class Tree {
  constructor() {
    this.root = new Node(null, null);
    this.current = this.root;
  }

  /** The child of `parent` for an action, created if needed. */
  add(parent, action) {
    const known = parent.children.find((one) => one.action.action === action.action);
    if (known) return known;
    const node = new Node(parent, action);
    parent.children.push(node);
    return node;
  }

  /** Add a line of actions; returns its last node. */
  addLine(parent, actions) {
    return actions.reduce((node, action) => this.add(node, action), parent);
  }

  /** Add a line whose actions may have `variations`, lines that replace them; returns the last node of its main line. */
  addTree(parent, items) {
    let node = parent;
    for (const item of items) {
      const next = this.add(node, item);
      for (const other of item.variations ?? []) this.addTree(node, other);
      node = next;
    }
    return node;
  }

  /** Make a variation the main line at the point where it branches off. */
  promote(node) {
    node.parent.children = [node, ...node.parent.children.filter((one) => one !== node)];
  }

  /** The node at this ply of the main line, or its last node. */
  main(ply) {
    let node = this.root;
    while (node.children.length && node.ply < ply) node = node.children[0];
    return node;
  }

  /** Remove a node and everything after it; if the current node is removed, the parent becomes current. */
  remove(node) {
    node.parent.children = node.parent.children.filter((one) => one !== node);
    for (let at = this.current; at; at = at.parent) if (at === node) this.current = node.parent;
  }
}

/** An action with its glyphs and comments, as a record writes them. */
const written = ({ san, nags = [], comments = [] }) => [san, ...nags.map((nag) => `$${nag}`), ...comments.map((one) => `{${one}}`)];

/** A node and all that follows as movetext without numbers, as a record writes it in parentheses. */
export function writeMovetext(node) {
  const words = [];
  for (let at = node; at; at = at.children[0]) {
    words.push(...written(at.action));
    if (at === node) continue;
    for (const other of at.parent.children.slice(1)) words.push(`(${writeMovetext(other)})`);
  }
  return words.join(" ");
}

/** The whole tree as a record; `number(node)` returns an action's number and whether it is the first side's. */
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
