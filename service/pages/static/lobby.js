// The lobby: open challenges as they come and go, and the reader's own games and challenges.

import { tellConnection } from "./connection.js";
import { drop, want } from "./keep-up.js";
import { gettext } from "./language.js";
import { followBoards } from "./live-boards.js";
import "./own-lists.js";
import { announce } from "./page.js";
import { Stream, openWhileSeen } from "./stream.js";

const OPEN = "[data-lobby]";
const filters = document.querySelector(OPEN).dataset.lobby;
let whole = false;
/** The challenges that the stream has sent since it began. */
const known = new Set();

function come({ id, version, variant }) {
  known.add(id);
  if (document.querySelector(`${OPEN} [data-game="${id}"]`)) return;
  want(OPEN, id, version);
  if (whole) announce(gettext("A new challenge: {game}", { game: variant }));
}

/** The stream has sent every open challenge: drop the others that the page shows. */
function catchUp() {
  whole = true;
  for (const { dataset } of document.querySelectorAll(`${OPEN} [data-game]`)) {
    if (!known.has(dataset.game)) drop(OPEN, dataset.game);
  }
}

followBoards((game, version) => want("#played", game, version));

// Only the first page of the list is live.
if (!new URLSearchParams(location.search).has("cursor")) {
  const events = { challenge: come, gone: ({ game }) => drop(OPEN, game), caught_up: catchUp };
  openWhileSeen(new Stream(`challenges/stream?${filters}`, events, tellConnection, () => known.clear()));
}
