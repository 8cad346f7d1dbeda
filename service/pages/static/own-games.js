// The reader's tasks in their games: one event stream for all tabs of a browser.
//
// One tab has the stream and passes it on to the others. A lock decides which, so that another tab takes over
// when it is closed or hidden. Without locks (on pages without TLS) each visible tab has its own stream.

import { Stream } from "./stream.js";

const KINDS = ["challenge", "challenge-sent", "choose", "your-turn", "draw-offered", "retraction-offered", "waiting", "game-over"];

/** The player who is signed in; in another tab, they may sign out, or somebody else in. */
const signedIn = () => document.getElementById("who")?.dataset.reader;
const reader = signedIn();
const channel = new BroadcastChannel(`movelog-games-${reader}`);
const events = {
  ...Object.fromEntries(KINDS.map((kind) => [kind, (data, id) => send({ ...data, kind, version: Number(id.split("-")[1]) })])),
  unreadable: ({ game }) => open.add(game),
  caught_up: catchUp,
};
const stream = new Stream("me/stream", events, () => {}, beginAnew);
/** The open games that the stream has sent since it began. */
const open = new Set();
/** Whether these are all. */
let caughtUp = false;
const newest = new Map();
const listeners = new Map();
let whole = false;
let inBackground = false;
let claim = null;
let leading = false;
let letGo = () => {};
/** Settled once the other tabs have heard of everything. */
let passed = Promise.resolve();

/**
 * Call `take(task, before)` with the task of each open game and its changes. `task` is the data of the API's
 * stream with its `kind`; `before` is the game's previous task, null for a new game, and undefined for one that
 * was already open when the stream began. `keep(open)` is called with the set of all open games whenever a stream
 * has sent them: others may have ended while there was none. What they promise is awaited before other tabs hear of it.
 */
export function followOwnGames(take, keep = () => {}) {
  if (!reader) return;
  listeners.set(take, keep);
  for (const task of newest.values()) take(task, undefined);
  settle();
  channel.postMessage({ hello: true });
}

/** Set whether the stream is kept while the page is hidden. */
export function stayInBackground(stays) {
  inBackground = stays;
  settle();
}

/** Whether this tab has the stream, and so does what one tab must do for all. */
export const isLeading = () => leading;

channel.onmessage = ({ data }) => {
  if (!data.hello) hear(data);
  else if (leading) {
    for (const task of newest.values()) channel.postMessage(task);
    if (caughtUp) channel.postMessage({ open });
  }
};

function beginAnew() {
  open.clear();
  caughtUp = false;
}

function send(task) {
  if (task.kind === "game-over") open.delete(task.game);
  else open.add(task.game);
  pass(task);
}

function catchUp() {
  caughtUp = true;
  pass({ open });
}

/** The other tabs hear of it once this one has dealt with it: if this one is closed before, the next does so. */
function pass(told) {
  const heard = hear(told);
  passed = Promise.allSettled([passed, ...heard]).then(() => channel.postMessage(told));
}

/** Let the listeners know; returns what they are still doing. */
function hear(told) {
  if (told.open) return hearAll(told.open);
  const before = newest.get(told.game);
  if (before && before.version >= told.version) return [];
  newest.set(told.game, told);
  return [...listeners.keys()].map((take) => take(told, before ?? (whole ? null : undefined)));
}

function hearAll(all) {
  whole = true;
  for (const game of newest.keys()) if (!all.has(game)) newest.delete(game);
  return [...listeners.values()].map((keep) => keep(all));
}

function settle() {
  const wanted = listeners.size > 0 && (inBackground || !document.hidden) && signedIn() === reader;
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
document.addEventListener("shown", settle);
