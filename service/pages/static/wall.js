// A wall of boards that keeps up by one stream: that of all games of its tournament.

import { gettext } from "./language.js";
import { load, show } from "./page.js";

const SLOWEST = 10_000;
const PAUSE = 300;
const wall = document.getElementById("wall").dataset.tournament;
const plies = new Map();
let source;
let wait = 500;
let timer;
let asked;

const say = (text) => (document.getElementById("connection").textContent = text);

/** Show the boards as the stream has told them; a page that is loaded anew may know less. */
function redraw() {
  for (const [id, ply] of plies) {
    const picture = document.querySelector(`[data-game="${id}"] img`);
    const address = `/api/v1/games/${id}/board.svg?ply=${ply}`;
    if (picture && picture.getAttribute("src") !== address) picture.src = address;
  }
}

/** Load the page anew, once for all that happens in a moment. */
function refresh() {
  clearTimeout(asked);
  asked = setTimeout(async () => {
    try {
      show(await load());
    } catch {
      // The service is away for the moment; the stream connects again and asks again.
    }
    redraw();
  }, PAUSE);
}

function told(message) {
  const { stream, data } = JSON.parse(message.data);
  const ply = data.ply ?? data.to_ply;
  if (ply === undefined) {
    // A game begins, ends or is scored: names and results may have changed.
    refresh();
    return;
  }
  plies.set(stream.split(":")[1], ply);
  redraw();
}

function connect() {
  clearTimeout(timer);
  source?.close();
  if (document.hidden) return;
  source = new EventSource(`/api/v1/stream?tournament=${wall}`);
  source.onmessage = told;
  source.addEventListener("caught_up", () => {
    wait = 500;
    say(gettext("live"));
    refresh();
  });
  source.onerror = () => {
    say(gettext("reconnecting…"));
    if (source.readyState !== EventSource.CLOSED) return;
    timer = setTimeout(connect, wait);
    wait = Math.min(2 * wait, SLOWEST);
  };
}

document.addEventListener("visibilitychange", connect);
connect();
