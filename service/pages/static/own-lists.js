// Keeps the reader's own games and challenges in the lists of a page up to date.

import { drop, want } from "./keep-up.js";
import { followOwnGames } from "./own-games.js";

const OWN = "[data-own]";

const shownVersion = (game) => Number(document.querySelector(`${OWN} [data-game="${game}"]`)?.dataset.seen ?? -1);

function take(task, before) {
  if (task.kind !== "game-over") {
    if (shownVersion(task.game) < task.version) want(OWN, task.game, task.version);
  } else if (before !== undefined) drop(OWN, task.game);
}

/** These are all open games: drop the others that the page shows. */
function keep(open) {
  for (const { dataset } of document.querySelectorAll(`${OWN} [data-game]`)) {
    if (!open.has(dataset.game)) drop(OWN, dataset.game);
  }
}

followOwnGames(take, keep);
