// Boards of games in progress, kept live by one stream for the whole page.

import { mountBoards } from "./board/mount.js";
import { Clocks, measureAhead } from "./game/clocks.js";
import { ngettext } from "./language.js";
import { Stream, openWhileSeen } from "./stream.js";

/** @typedef {{id: string, version: number, status: string, ply: number, position: object, clocks?: object, now: string,
 *   ahead: number}} Told `ahead` is measured when the message comes */

/** The most games that one stream can follow. */
const MOST = 100;
/** @type {Map<string, Told>} the stream's last message about each game */
const told = new Map();
/** @type {WeakMap<Element, Clocks>} by the element around them */
const clocks = new WeakMap();

const boardsOf = (game) => document.querySelectorAll(`[data-board][data-of="${CSS.escape(game)}"]`);

/**
 * Keep all boards of the page with `data-following` live, and with each the clocks and the turn in the element around it
 * that has `data-game`. `changed(game, version)` is called when a game begins or ends, `said` with the connection's state.
 */
export function followBoards(changed, said = () => {}) {
  let followed = [];
  let leave = () => {};
  const take = (message) => {
    message.ahead = measureAhead(message.now);
    told.set(message.id, message);
    for (const board of boardsOf(message.id)) if (show(board, message)) changed(message.id, message.version);
  };
  const renew = () => {
    mountBoards();
    for (const message of told.values()) for (const board of boardsOf(message.id)) show(board, message);
    const games = [...document.querySelectorAll("[data-board][data-following]")].map((board) => board.dataset.of);
    const wanted = [...new Set(games)].slice(0, MOST).sort();
    // Keep a stream that follows more games than wanted, unless none is wanted.
    if (wanted.every((game) => followed.includes(game)) && wanted.length > 0 === followed.length > 0) return;
    followed = wanted;
    leave();
    leave = () => {};
    if (wanted.length) leave = openWhileSeen(new Stream(`boards/stream?games=${wanted}`, { board: take, alive() {} }, said));
  };
  renew();
  document.addEventListener("shown", renew);
}

/** Show a message about a game, unless the page is newer; returns whether the game has begun or ended. */
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

/** The parts of a text, with each name between isolate characters as a `<bdi>` element. */
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
  clocks.get(around).show(message.clocks, going, message.ahead);
}
