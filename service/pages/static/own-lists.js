// Keeps the reader's own games and challenges in the lists of a page up to date.

import { drop, want } from "./keep-up.js";
import { followOwnGames } from "./own-games.js";

const OWN = "[data-own]";

const shownVersion = (game) => Number(document.querySelector(`${OWN} [data-game="${game}"]`)?.dataset.seen ?? -1);

followOwnGames((task, before) => {
  if (task.kind !== "game-over") {
    if (shownVersion(task.game) < task.version) want(OWN, task.game, task.version);
  } else if (before !== undefined) drop(OWN, task.game);
});
