// Starts a game's page. Without the service's answer the page stays as it came: its links and forms need no scripts.

import { startGame } from "./main.js";

startGame().catch((error) => console.warn(`The page stays as it came: ${error.message}`));
