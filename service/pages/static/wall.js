// A wall of boards that keeps up by one stream.

import { tellConnection } from "./connection.js";
import { followBoards } from "./live-boards.js";
import { load, show } from "./page.js";

/** Milliseconds until the page is asked for again; a tournament takes its moments to count a result. */
const WAITS = [300, 1500, 5000, 15_000];
let timer;

/** Have the names and results that the service has now. */
function refresh(tries = 0) {
  clearTimeout(timer);
  if (tries === WAITS.length) return;
  timer = setTimeout(async () => {
    try {
      show(await load());
    } catch {
      // The service is away for the moment; the page is asked for again.
    }
    refresh(tries + 1);
  }, WAITS[tries]);
}

followBoards(
  () => refresh(),
  tellConnection,
);
