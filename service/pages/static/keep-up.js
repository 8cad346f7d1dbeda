// Keeps lists up to date: the page is loaded again until it shows what a stream has announced.

import { load, show } from "./page.js";

const PAUSE = 300;
const TRIES = 6;
const due = new Map();
let timer;
let tries = 0;

/** Reload until the part of the page with this selector shows this version of a game. */
export function want(part, game, version) {
  due.set(`${part} ${game}`, { part, game, version });
  tries = 0;
  schedule(0);
}

/** Remove a game's row at once, and reload until the page no longer shows it. */
export function drop(part, game) {
  due.set(`${part} ${game}`, { part, game, version: null });
  find(part, game)?.remove();
  tries = 0;
  schedule(0);
}

/** Query parameters to add when the page is loaded. */
export const parameters = {};

const find = (part, game) => document.querySelector(`${part} [data-game="${CSS.escape(game)}"], ${part}[data-game="${CSS.escape(game)}"]`);
const isDone = ({ part, game, version }) =>
  version === null ? !find(part, game) : Number(find(part, game)?.dataset.seen ?? -1) >= version;

function schedule(wait) {
  clearTimeout(timer);
  timer = setTimeout(refresh, wait);
}

// Lists lag slightly behind the log that the streams follow, so the page is loaded again until it has everything.
async function refresh() {
  tries += 1;
  try {
    show(await load(parameters));
  } catch {
    // The service is unreachable for the moment: keep what is shown, and try again.
  }
  for (const [key, one] of due) if (isDone(one)) due.delete(key);
  if (due.size && tries < TRIES) schedule(PAUSE * 2 ** tries);
  else due.clear();
}
