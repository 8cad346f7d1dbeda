// What every page may need. What a page needs of it is known from what is on it.

import { sendForms } from "./forms.js";
import { followTournament, refreshWhileOpen } from "./live.js";
import { mountBoards } from "./board/mount.js";

sendForms();
refreshWhileOpen();
followTournament();
mountBoards();
