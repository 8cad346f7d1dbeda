// Lists that keep up: the page is asked for again until it shows what a stream has told of.

import { load, show } from "./page.js";

const PAUSE = 300;
const TRIES = 6;
const due = new Map();
let timer;
let tries = 0;

/** Have the page show this version of a game, in the part of the page that this selector names. */
export function want(part, game, version) {
  due.set(`${part} ${game}`, { part, game, version });
  tries = 0;
  schedule(0);
}

/** Have the page no longer show a game; its row goes at once. */
export function drop(part, game) {
  due.set(`${part} ${game}`, { part, game, version: null });
  find(part, game)?.remove();
  tries = 0;
  schedule(0);
}

/** Ask for the page with these parameters as well. */
export const parameters = {};

const find = (part, game) => document.querySelector(`${part} [data-game="${CSS.escape(game)}"], ${part}[data-game="${CSS.escape(game)}"]`);
const isDone = ({ part, game, version }) =>
  version === null ? !find(part, game) : Number(find(part, game)?.dataset.seen ?? -1) >= version;

function schedule(wait) {
  clearTimeout(timer);
  timer = setTimeout(refresh, wait);
}

// Lists lag behind the log that streams tell of, by moments: what is not there yet is asked for again.
async function refresh() {
  tries += 1;
  try {
    show(await load(parameters));
  } catch {
    // The service is away for the moment; what is shown stays, and is asked for again.
  }
  for (const [key, one] of due) if (isDone(one)) due.delete(key);
  if (due.size && tries < TRIES) schedule(PAUSE * 2 ** tries);
  else due.clear();
}
