// The first page: the game being watched and the reader's own, as they are now.

import { parameters, want } from "./keep-up.js";
import "./own-lists.js";
import { Stream, openWhileSeen } from "./stream.js";

const WATCHED = "#watched";
let watched;
let leave = () => {};

/** Follow the game of the page that is being played. */
function watch() {
  const part = document.querySelector(`${WATCHED}[data-watch]`);
  const game = part?.dataset.watch;
  if (game === watched) return;
  watched = game;
  parameters.watch = game ?? null;
  leave();
  leave = () => {};
  if (!game) return;
  const news = (_, id) => Number(id) > Number(part.dataset.seen) && want(WATCHED, game, Number(id));
  leave = openWhileSeen(new Stream(`games/${game}/stream?after=${part.dataset.seen}`, { message: news }));
}

watch();
document.addEventListener("shown", watch);
