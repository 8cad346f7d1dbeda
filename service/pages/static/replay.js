// Going through a game: buttons, arrow keys, list of actions, slider.

import { announce, load, position, show, showBoard } from "./page.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "flip" };
const boards = new Map();
const RESTS = 80;
let resting = 0;
let request = 0;
let wanted = null;
let flipped = null;
let follows = true;

const state = () => document.getElementById("state").dataset;
const shownPly = () => Number(position().dataset.ply);
const plies = () => Number(state().plies);

/** Whether the page shows the newest position, and goes on to newer ones. */
export const atNewest = () => follows;

/** Let the page's replay tools work without loading the page. */
export function replayGame() {
  if (!document.getElementById("replay")) return;
  document.getElementById("replay").addEventListener("click", (event) => {
    const tool = event.target.closest("[data-go]");
    if (tool) act(event, () => go(tool.dataset.go));
  });
  document.addEventListener("click", (event) => {
    const chosen = event.target.closest("#moves [data-ply]");
    if (chosen) act(event, () => turnTo(Number(chosen.dataset.ply)));
  });
  // Not every position that the slider passes is asked for: only where it rests.
  document.getElementById("slider").addEventListener("input", (event) => {
    clearTimeout(resting);
    resting = setTimeout(() => turnTo(Number(event.target.value)), RESTS);
  });
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, select, textarea, dialog");
    // The slider has its own use for the arrows.
    const typing = field && !(field.id === "slider" && event.key === "f");
    if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && KEYS[event.key]) {
      act(event, () => go(KEYS[event.key]));
    }
  });
  // The open form is that of the action shown.
  document.addEventListener("toggle", async ({ target }) => {
    if (target.id !== "annotate" || !target.open || Number(target.dataset.ply) === shownPly()) return;
    show(await load({ ply: follows ? null : shownPly(), below: below() }), true);
  }, true);
  // A list of another width has its actions elsewhere. (On phones the height changes by scrolling.)
  let width = innerWidth;
  addEventListener("resize", () => {
    if (width === innerWidth) return;
    width = innerWidth;
    mark();
  });
  addEventListener("load", mark);
  mark();
}

function act(event, what) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  what();
}

function go(where) {
  const at = wanted ?? shownPly();
  if (where === "flip") {
    flipped = position().dataset.below === "first" ? "second" : "first";
    turnTo(at, true);
  } else {
    turnTo({ first: 0, back: Math.max(0, at - 1), on: Math.min(plies(), at + 1), last: plies() }[where]);
  }
}

/** Show the position after so many actions. */
async function turnTo(ply, turned = false) {
  wanted = ply;
  const own = ++request;
  mark();
  try {
    // What may be played, what the engine found and the part of the list stand beside the board: then
    // all is shown anew.
    const whole = follows || document.querySelector("#evaluation .chart, #annotate[open]") || !listed(Math.max(1, ply));
    const html = await (whole ? load({ ply: follows ? null : ply, below: below() }) : board(ply));
    if (own !== request) return;
    wanted = null;
    (whole ? show : showBoard)(html);
  } catch {
    // The position shown stays, and the list goes back to it.
    if (own !== request) return;
    wanted = null;
    if (turned) flipped = null;
    mark();
    announce("No answer. Try again.");
    return;
  }
  const address = new URL(location.href);
  if (follows) address.searchParams.delete("ply");
  else address.searchParams.set("ply", ply);
  if (flipped) address.searchParams.set("below", flipped);
  history.replaceState(null, "", address);
  announce(position().dataset.said);
  if (!turned) for (const near of [ply - 1, ply + 1]) if (near >= 0 && near < plies()) board(near);
}

const listed = (ply) => document.querySelector(`#moves ol [data-ply="${ply}"]`);
const below = () => flipped ?? position().dataset.below;

function board(ply) {
  const key = `${state().version} ${ply} ${below()}`;
  if (!boards.has(key)) {
    const path = `${location.pathname}/board`;
    const found = load({ ply, below: below() }, path);
    found.catch(() => boards.delete(key));
    boards.set(key, found);
  }
  return boards.get(key);
}

/** Have slider and list show where the reader is. */
function mark() {
  const at = wanted ?? shownPly();
  follows = at === plies();
  const slider = document.getElementById("slider");
  slider.max = plies();
  slider.value = at;
  slider.setAttribute("aria-valuetext", `after action ${at} of ${plies()}`);
  for (const old of document.querySelectorAll("#moves [aria-current]")) old.removeAttribute("aria-current");
  const current = listed(at);
  current?.setAttribute("aria-current", "true");
  const list = document.getElementById("moves");
  if (current) {
    const middle = list.getBoundingClientRect().top + list.clientHeight / 2;
    list.scrollTop += current.getBoundingClientRect().top - middle;
  }
}

/** Have the links and the position string beside the board be those of the position shown. */
function relink() {
  const { fen, below } = position().dataset;
  const ply = shownPly();
  const lead = (link, asked) => (link.search = new URLSearchParams(asked));
  const tool = (where) => document.querySelector(`#replay [data-go="${where}"]`);
  lead(tool("back"), { ply: Math.max(0, ply - 1) });
  lead(tool("on"), { ply: Math.min(plies(), ply + 1) });
  lead(tool("flip"), { ply, below: below === "first" ? "second" : "first" });
  lead(document.getElementById("picture"), { ply });
  const analyse = document.getElementById("analyse");
  lead(analyse, { variant: analyse.dataset.variant, fen });
  document.getElementById("fen").textContent = fen;
}

/** After the page has changed: mark again. */
export function newest() {
  if (!document.getElementById("replay")) return;
  mark();
  relink();
}
