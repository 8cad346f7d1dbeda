// A wall of boards, kept live by one stream.

import { tellConnection } from "./connection.js";
import { followBoards } from "./live-boards.js";
import { load, show } from "./page.js";

/** Milliseconds until each reload of the page; a tournament needs some time to count a result. */
const WAITS = [300, 1500, 5000, 15_000];
let timer;

/** Load the present names and results. */
function refresh(tries = 0) {
  clearTimeout(timer);
  if (tries === WAITS.length) return;
  timer = setTimeout(async () => {
    try {
      show(await load());
    } catch {
      // The service is unreachable for the moment: try again.
    }
    refresh(tries + 1);
  }, WAITS[tries]);
}

followBoards(
  () => refresh(),
  tellConnection,
);
