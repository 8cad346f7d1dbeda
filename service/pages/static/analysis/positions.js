// Positions as the service describes them, and typed actions resolved in them.

import { gettext } from "../language.js";

/** The position of a string, `{fen, action}`, after actions if there are any; rejects with the reason in words. */
export async function readPosition(variant, asked) {
  const headers = { Accept: "application/json" };
  const answer = await fetch(`/api/v1/variants/${variant}/position?${new URLSearchParams(asked)}`, { headers }).catch(() => null);
  const told = await answer?.json();
  if (!answer?.ok) throw new Error(told?.detail ?? gettext("No answer. Try again."));
  return told;
}

/** The actions of a typed text, one after the other from the position `told`; rejects with what is wrong with one. */
export async function resolve(variant, told, text) {
  const line = [];
  let before = told;
  for (const token of text.split(/\s+/).filter(Boolean)) {
    const { fen, number, to_act: side } = before.position;
    const after = await readPosition(variant, { fen, action: token });
    const { action, san } = before.actions.find((one) => one.action === after.position.action);
    line.push({ action, san, number, side });
    before = after;
  }
  return line;
}
