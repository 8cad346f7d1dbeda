// Starts what any page may need; each part looks for its own elements.

import { sendForms } from "./forms.js";
import { followTournament, refreshWhileOpen } from "./live.js";
import { mountBoards } from "./board/mount.js";

sendForms();
refreshWhileOpen();
followTournament();
mountBoards();
