// The actions that the page says are legal, in coordinate form (docs/notation.md). There are no
// rules here.

import { position } from "./page.js";

const SQUARE = /[a-l]\d{1,2}/g;

/** An action taken apart: where it is begun (a cell, or a kind in hand), where it leads. */
function parsed({ action, san }) {
  const squares = action.match(SQUARE) ?? [];
  const held = action.match(/^([A-Z])@/)?.[1];
  if (held) return { action, san, from: `hand ${held}`, to: squares[0] };
  const word = action.match(/^([A-Z]):/)?.[1];
  if (word) return { action, san, word, from: squares[0], to: null };
  return { action, san, from: squares[0] ?? null, to: squares[1] ?? null };
}

/** What may be played in the position shown. */
export const legal = () => JSON.parse(position()?.dataset.legal ?? "[]").map(parsed);

const words = () => JSON.parse(position().dataset.words);

/** An action in words, where it has any. */
export function label(one) {
  const known = words();
  if (one.word) return `${known[one.word]} ${one.from}`;
  const back = known[one.action.match(/=[A-Z]/)?.[0]];
  const other = one.action.split("&")[1]?.match(SQUARE);
  const parts = [known[one.action] ?? one.san];
  if (other) parts.push(`together with ${other[0]}`);
  if (back) parts.push(back);
  return parts.join(" – ");
}
