// A game in a frame on another site: it is live and can be turned and replayed. Nobody is signed in there.

import { mountBoard } from "../board/board.js";
import { Clocks, measureAhead } from "../game/clocks.js";
import { Stream, openWhileSeen } from "../stream.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "turn" };
const PAGE = 300;
const main = document.querySelector("main[data-game]");
const { game, variant, result, reason } = main.dataset;
const frame = document.querySelector(".frame");
const steps = Object.fromEntries([...document.querySelectorAll("[data-go]")].map((link) => [link.dataset.go, link]));
const clocks = new Clocks(main);
/** The reasons of ends in the reader's language, by the `Termination` tag. */
const reasons = JSON.parse(main.dataset.reasons ?? "{}");
let board;

/** @type {Map<number, object>} the positions that are known, by ply; another map once the game has gone back */
let positions = new Map();
/** The ply that is being fetched to be shown, or null. */
let wanted = null;
const state = {
  below: main.dataset.below,
  at: Number(frame.dataset.ply),
  newest: Number(main.dataset.newest),
  version: Number(main.dataset.version),
  /** How the game ended, in the reader's language, or null while it goes on. */
  end: result ? { result, reason } : null,
};

/** The position at a ply; rejects if the service does not answer. */
async function find(ply) {
  const known = positions;
  if (!known.has(ply)) {
    const from = ply - (ply % PAGE);
    // Only what is public, even if the reader is signed in elsewhere.
    const answer = await fetch(`/api/v1/games/${game}/positions?from=${from}&limit=${PAGE}`, { credentials: "omit" });
    if (!answer.ok) throw new Error(`${answer.status}`);
    for (const position of (await answer.json()).items) known.set(position.ply, position);
  }
  if (known !== positions) return find(ply);
  if (!known.has(ply)) throw new Error(`there is no ply ${ply}`);
  return known.get(ply);
}

/** Show the position at a ply, unless another is wanted meanwhile; if it cannot be fetched, by loading the page. */
async function look(ply) {
  wanted = ply;
  try {
    const position = await find(ply);
    if (wanted !== ply) return;
    state.at = ply;
    draw(position);
    wanted = null;
  } catch {
    if (wanted === ply) location.search = address(ply);
  }
}

const address = (ply) => `?${new URLSearchParams({ ply, below: state.below })}`;

function draw(position) {
  board.set({ position, orientation: state.below });
  frame.dataset.ply = position.ply;
  frame.dataset.fen = position.fen;
  for (const seat of main.querySelectorAll("[data-seat]")) {
    const points = seat.querySelector(".points");
    if (points && position.points) points.textContent = position.points[Number(seat.dataset.seat === "second")];
  }
  document.querySelector(".state").replaceChildren(...describe(position));
  mark();
}

/** The result of the game, or the last action and whose turn it is. */
function describe(position) {
  const strong = document.createElement("strong");
  if (state.end && position.ply === state.newest) {
    strong.textContent = state.end.result;
    return state.end.reason ? [strong, `, ${state.end.reason}`] : [strong];
  }
  strong.textContent = position.san ?? "";
  return position.san ? [strong, ` · ${position.turn}`] : [position.turn];
}

/** Show the ply, and point the links at the positions that they step to. */
function mark() {
  document.querySelector(".ply").textContent = `${state.at} / ${state.newest}`;
  for (const [where, link] of Object.entries(steps)) if (where !== "turn") link.search = address(target(where));
  const home = document.querySelector(".home");
  home.search = `?${new URLSearchParams({ ply: state.at })}`;
}

/** A message's end of the game, in the reader's language. */
const endOf = ({ result, termination }) => ({ result: result.replaceAll("1/2", "½"), reason: reasons[termination] ?? termination });

/** The ply that a step leads to from the one shown, or about to be shown. */
function target(where) {
  const at = wanted ?? state.at;
  return { first: 0, back: Math.max(0, at - 1), on: Math.min(state.newest, at + 1), last: state.newest }[where];
}

function turn() {
  state.below = state.below === "first" ? "second" : "first";
  const [above, under] = main.querySelectorAll("[data-seat]");
  const place = frame.nextElementSibling;
  frame.before(under);
  if (place === under) frame.after(above);
  board.set({ orientation: state.below });
  mark();
}

const go = (where) => (where === "turn" ? turn() : look(target(where)));

/** Take the newest state of the game; a reader who looks at an earlier position stays there. */
function take(message) {
  const follows = state.at === state.newest;
  const next = message.version === state.version + 1 && message.ply === state.newest + 1;
  const forgets = message.version > state.version && !next;
  // Actions may have been taken back, or more of the game is now public.
  if (forgets) positions = new Map();
  state.newest = message.ply;
  if (wanted > state.newest) wanted = null;
  state.version = message.version;
  state.end = message.status === "finished" ? endOf(message) : null;
  positions.set(message.ply, message.position);
  clocks.show(message.clocks ?? null, message.status === "running", measureAhead(message.now));
  if (follows || state.at > state.newest) {
    state.at = message.ply;
    draw(message.position);
  } else if (forgets) look(wanted ?? state.at);
  else mark();
}

/** Begin once the board is mounted; without an answer the picture and the links stay. */
function begin(made) {
  board = made;
  const { fen, last, ply } = frame.dataset;
  board.set({ position: { fen, last: last.split(" ").filter(Boolean), ply: Number(ply) }, orientation: state.below });
  document.querySelector("nav").addEventListener("click", (event) => {
    const link = event.target.closest("[data-go]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(link.dataset.go);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    go(KEYS[event.key]);
  });
  if ("following" in main.dataset) openWhileSeen(new Stream(`boards/stream?games=${game}`, { board: take, alive() {} }));
}

mountBoard(frame, { variant, viewOnly: true }).then(begin).catch((error) => console.warn(`The frame stays as it came: ${error.message}`));
