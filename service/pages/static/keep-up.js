// Keeps lists up to date: the page is loaded again until it comes with what a stream has announced.

import { load, parse, show } from "./page.js";
import { retire } from "./steady.js";

const PAUSE = 300;
const TRIES = 6;
const due = new Map();
let timer;
let tries = 0;
/** The requests for the page, numbered, and the newest one whose answer has come. */
let asked = 0;
let answered = 0;

/** Reload until the part of the page with this selector has this version of a game. */
export function want(part, game, version) {
  due.set(`${part} ${game}`, { part, game, version });
  tries = 0;
  schedule(0);
}

/** Retire a game's row at once, and reload until the page no longer has it. */
export function drop(part, game) {
  due.set(`${part} ${game}`, { part, game, version: null });
  retireGone();
  tries = 0;
  schedule(0);
}

/** Query parameters to add when the page is loaded. */
export const parameters = {};

// A list that lags may have been loaded, and is shown at once or when the pointer leaves it.
document.addEventListener("shown", retireGone);

const find = (page, { part, game }) => page.querySelector(`${part} [data-game="${CSS.escape(game)}"], ${part}[data-game="${CSS.escape(game)}"]`);
const isGone = ({ version }) => version === null;
const isDone = (page, one) => (isGone(one) ? !find(page, one) : Number(find(page, one)?.dataset.seen ?? -1) >= one.version);

function retireGone() {
  for (const one of [...due.values()].filter(isGone)) {
    const row = find(document, one);
    if (row) retire(row);
  }
}

function schedule(wait) {
  clearTimeout(timer);
  timer = setTimeout(refresh, wait);
}

// Lists lag slightly behind the log that the streams follow, so the page is loaded again until it has everything.
async function refresh() {
  tries += 1;
  const request = (asked += 1);
  try {
    const html = await load(parameters);
    // A later request was answered earlier, by a newer page.
    if (request < answered) return;
    answered = request;
    const fresh = parse(html);
    for (const [key, one] of due) if (isDone(fresh, one)) due.delete(key);
    show(html);
  } catch {
    // The service is unreachable for the moment: keep what is shown, and try again.
  }
  if (due.size && tries < TRIES) schedule(PAUSE * 2 ** tries);
  else due.clear();
}
