// The first page: the game being watched, the others and the reader's own, as they are now.

import { parameters, want } from "./keep-up.js";
import { followBoards } from "./live-boards.js";
import "./own-lists.js";

/** The game that is watched stays, whichever is played last. */
function keep() {
  parameters.watch = document.querySelector("#watched[data-watch]")?.dataset.watch ?? parameters.watch ?? null;
}

keep();
document.addEventListener("shown", keep);
// The lists lag behind the stream by moments.
followBoards((game, version) => want("#main", game, version));
