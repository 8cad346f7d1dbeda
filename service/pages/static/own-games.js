// What the reader's games ask of them: one event stream for all tabs of a browser.
//
// One tab has the stream and tells the others. A lock settles which, so that another takes over when that
// tab is closed or hidden. Without locks (pages that did not come over TLS) each visible tab has its own.

import { Stream } from "./stream.js";

const KINDS = ["challenge", "challenge-sent", "choose", "your-turn", "draw-offered", "retraction-offered", "waiting", "game-over"];

const reader = document.getElementById("who")?.dataset.reader;
const channel = new BroadcastChannel(`movelog-games-${reader}`);
const stream = new Stream("me/stream", {
  ...Object.fromEntries(KINDS.map((kind) => [kind, (data, id) => pass({ ...data, kind, version: Number(id.split("-")[1]) })])),
  caught_up: () => pass({ whole: true }),
});
const newest = new Map();
const listeners = new Set();
let whole = false;
let inBackground = false;
let claim = null;
let leading = false;
let letGo = () => {};

/**
 * Have a function told what each open game asks: `take(task, before)`, where `task` has what the API's
 * stream tells with its `kind`, and `before` is what was known of the game, undefined for one that was
 * open before anything was known, and null for a new one.
 */
export function followOwnGames(take) {
  if (!reader) return;
  listeners.add(take);
  for (const task of newest.values()) take(task, undefined);
  settle();
  channel.postMessage({ hello: true });
}

/** Whether the stream is kept while the page is hidden. */
export function stayInBackground(stays) {
  inBackground = stays;
  settle();
}

/** Whether this tab has the stream: what is to be done once for all tabs is done here. */
export const isLeading = () => leading;

channel.onmessage = ({ data }) => {
  if (!data.hello) hear(data);
  else if (leading) {
    for (const task of newest.values()) channel.postMessage(task);
    if (whole) channel.postMessage({ whole });
  }
};

function pass(told) {
  hear(told);
  channel.postMessage(told);
}

function hear(told) {
  if (told.whole) {
    whole = true;
    return;
  }
  const before = newest.get(told.game);
  if (before && before.version >= told.version) return;
  newest.set(told.game, told);
  for (const take of listeners) take(told, before ?? (whole ? null : undefined));
}

function settle() {
  const wanted = listeners.size > 0 && (inBackground || !document.hidden);
  if (wanted && !claim) lead();
  else if (!wanted && claim) rest();
}

function lead() {
  claim = new AbortController();
  if (!navigator.locks) begin();
  else navigator.locks.request(`movelog-games-${reader}`, { signal: claim.signal }, () => new Promise(begin)).catch(() => {});
}

function begin(done = () => {}) {
  letGo = done;
  leading = true;
  stream.open();
}

function rest() {
  claim.abort();
  claim = null;
  leading = false;
  stream.close();
  letGo();
}

document.addEventListener("visibilitychange", settle);
