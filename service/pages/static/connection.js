// The line of a page that tells of the connection.

import { gettext } from "./language.js";

/** Milliseconds within which a connection to another process is there: nothing is said of it. */
export const MOMENT = 2000;

/** Say how the connection is; what "live" means is told where the line is pointed at. */
export function tellConnection(text) {
  const line = document.getElementById("connection");
  line.textContent = text;
  line.title = text === gettext("live") ? gettext("This page updates by itself.") : "";
}
