// The line of a page that shows the state of the connection.

import { gettext } from "./language.js";

/** Milliseconds that switching to another process may take before the page mentions it. */
export const MOMENT = 2000;

/** Show the state of the connection; a tooltip explains "live". */
export function tellConnection(text) {
  const line = document.getElementById("connection");
  line.textContent = text;
  line.title = text === gettext("live") ? gettext("This page updates by itself.") : "";
}
