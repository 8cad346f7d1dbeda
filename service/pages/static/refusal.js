// The words of a refusal.

import { gettext } from "./language.js";

/** The element with the words of a refusal, from the page that came with it; a page that is not the service's has none. */
export function refusalIn(html, status) {
  const page = new DOMParser().parseFromString(html, "text/html");
  return document.adoptNode(page.querySelector(".problem") ?? describe(status));
}

function describe(status) {
  const told = document.createElement("div");
  told.className = "problem";
  told.setAttribute("role", "alert");
  told.textContent = gettext("The service answered with the error {status}. Try again.", { status });
  return told;
}
