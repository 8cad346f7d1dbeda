// What a page needs of the scripts is known from what is on it.

import { watchBoards } from "./play.js";
import { sendForms } from "./forms.js";
import { followGame, followTournament, refreshWhileOpen } from "./live.js";
import { replayGame } from "./replay.js";
import { suggestPlayers } from "./suggest.js";
import { sendFiles } from "./upload.js";
import { offerDownloads, offerVerification } from "./verify.js";

watchBoards();
sendForms();
refreshWhileOpen();
replayGame();
followGame();
followTournament();
suggestPlayers();
sendFiles();
offerDownloads();
offerVerification();
