// Notices that the reader has signed in or out in another tab.

import { load, show } from "./page.js";

const KEY = "movelog-reader";

const reader = () => document.getElementById("who")?.dataset.reader ?? "";

/** Tell other tabs who reads, and show this page anew once another tab tells of somebody else. */
export function followSession() {
  try {
    localStorage.setItem(KEY, reader());
  } catch {
    return; // The browser stores nothing, so tabs do not know of each other.
  }
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== KEY || newValue === reader()) return;
    // Without an answer, the page shows it the next time that something changes.
    load().then((html) => show(html), () => {});
  });
}
