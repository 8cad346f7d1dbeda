// The boards that a page shows of games that go on, kept live by one stream for all of them.

import { mountBoards } from "./board/mount.js";
import { Clocks } from "./game/clocks.js";
import { ngettext } from "./language.js";
import { Stream, openWhileSeen } from "./stream.js";

/** @typedef {{id: string, version: number, status: string, ply: number, position: object, clocks?: object, now: string}} Told */

/** Games of which one stream tells, at most. */
const MOST = 100;
/** @type {Map<string, Told>} what the stream has told last of each game */
const told = new Map();
/** @type {WeakMap<Element, Clocks>} by what is around them */
const clocks = new WeakMap();

const boardsOf = (game) => document.querySelectorAll(`[data-board][data-of="${CSS.escape(game)}"]`);

/**
 * Keep all boards of the page live that have `data-following`, and with each the clocks and the turn of the element
 * around it that has `data-game`. `changed` is told of a game that has begun or ended, with its version; `said` of the connection.
 */
export function followBoards(changed, said = () => {}) {
  let followed = [];
  let leave = () => {};
  const take = (message) => {
    told.set(message.id, message);
    for (const board of boardsOf(message.id)) if (show(board, message)) changed(message.id, message.version);
  };
  const renew = () => {
    mountBoards();
    for (const message of told.values()) for (const board of boardsOf(message.id)) show(board, message);
    const games = [...document.querySelectorAll("[data-board][data-following]")].map((board) => board.dataset.of);
    const wanted = [...new Set(games)].slice(0, MOST).sort();
    // A stream that tells of more goes on, until none of it is wanted.
    if (wanted.every((game) => followed.includes(game)) && wanted.length > 0 === followed.length > 0) return;
    followed = wanted;
    leave();
    leave = () => {};
    if (wanted.length) leave = openWhileSeen(new Stream(`boards/stream?games=${wanted}`, { board: take }, said));
  };
  renew();
  document.addEventListener("shown", renew);
}

/** Show what was told of a game, unless the page knows more; says whether the game has begun or ended by it. */
function show(board, message) {
  const { dataset } = board;
  if (message.version < Number(dataset.version)) return false;
  const turned = message.status !== dataset.status;
  const { fen, last } = message.position;
  Object.assign(dataset, { fen, last: last.join(" "), ply: message.ply, version: message.version, status: message.status });
  const around = board.closest("[data-game]");
  if (around) showBeside(around, message);
  return turned;
}

/** A text whose names, between the signs that isolate them, are elements that do. */
function isolate(text) {
  return text.split(/[\u2068\u2069]/).map((part, at) => {
    if (at % 2 === 0) return part;
    const name = document.createElement("bdi");
    name.textContent = part;
    return name;
  });
}

function showBeside(around, message) {
  const going = message.status === "running";
  for (const seat of around.querySelectorAll("[data-seat]")) seat.classList.toggle("awaited", going && seat.dataset.seat === message.to_act);
  const turn = around.querySelector(".turn-of");
  if (going && turn?.dataset[message.to_act]) {
    turn.replaceChildren(...isolate(turn.dataset[message.to_act]));
    turn.classList.toggle("own", turn.dataset.own === message.to_act);
  }
  for (const count of around.querySelectorAll(".plies")) count.textContent = ngettext("{num} action", "{num} actions", message.ply);
  if (!message.clocks) return;
  if (!clocks.has(around)) clocks.set(around, new Clocks(around));
  clocks.get(around).show(message.clocks, going, message.now);
}
