// The variations of an analysis that are kept with its game, as movetext.

import { gettext } from "../language.js";
import { csrf } from "../page.js";
import { writeMovetext } from "./tree.js";

/** Record on each variation that came with the game its text as kept there. */
export function noteKept(tree) {
  for (let at = tree.root; at.children.length; at = at.children[0]) {
    for (const other of at.children.slice(1)) other.kept = writeMovetext(other);
  }
}

/** Whether a variation is not kept, or has changed since. */
export const isToKeep = (branch) => branch.kept !== writeMovetext(branch);

/**
 * Keep a variation with the action of the game that it replaces; one that is already kept is replaced by its present
 * text. Returns the reason of a refusal, or null. `told` is what the page knows of the game.
 */
export async function keepVariation(told, branch) {
  const noted = told.main[branch.ply - 1];
  const text = writeMovetext(branch);
  const variations = [...(noted.kept ?? [])];
  const place = branch.action.kept ?? variations.length;
  variations[place] = text;
  const annotation = { comments_before: noted.comments_before ?? [], comments: noted.comments ?? [], nags: noted.nags ?? [] };
  const body = JSON.stringify({ type: "annotate", ply: branch.ply, annotation, variations, expected_version: told.version });
  const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRF-Token": csrf() };
  const answer = await fetch(`/api/v1/games/${told.game}/commands`, { method: "POST", headers, body }).catch(() => null);
  const done = await answer?.json();
  if (!answer?.ok) return done?.detail ?? gettext("No answer. Try again.");
  told.version = done.version;
  noted.kept = variations;
  branch.action.kept = place;
  branch.kept = text;
  return null;
}
