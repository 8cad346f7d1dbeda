// The home page: the game being watched, the other games and the reader's own, kept up to date.

import { parameters, want } from "./keep-up.js";
import { followBoards } from "./live-boards.js";
import "./own-lists.js";

/** Keep watching the same game, whichever was played last. */
function keep() {
  parameters.watch = document.querySelector("#watched[data-watch]")?.dataset.watch ?? parameters.watch ?? null;
}

keep();
document.addEventListener("shown", keep);
// The lists lag slightly behind the stream.
followBoards((game, version) => want("#main", game, version));
