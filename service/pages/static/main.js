// Starts what any page may need; each part looks for its own elements.

import { renewKeysOnReturn } from "./form-keys.js";
import { sendForms } from "./forms.js";
import { followTournament, refreshWhileOpen } from "./live.js";
import { mountBoards } from "./board/mount.js";
import { followSession } from "./session.js";

renewKeysOnReturn();
followSession();
sendForms();
refreshWhileOpen();
followTournament();
mountBoards();
