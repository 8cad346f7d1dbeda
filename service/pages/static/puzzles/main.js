// A puzzle on its page: replaces the picture with a board to solve it on.

import { Puzzle } from "./puzzle.js";

// If the service does not answer, the picture and the forms stay.
for (const figure of document.querySelectorAll("figure.puzzle")) Puzzle.open(figure).catch(() => {});
