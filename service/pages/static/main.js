// What every page may need. What a page needs of it is known from what is on it.

import { watchBoards } from "./play.js";
import { sendForms } from "./forms.js";
import { followGame, followTournament, refreshWhileOpen } from "./live.js";
import { replayGame } from "./replay.js";

watchBoards();
sendForms();
refreshWhileOpen();
replayGame();
followGame();
followTournament();
