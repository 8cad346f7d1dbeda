// Buttons that put a text of the page into the clipboard; without scripts they are not shown.

import { gettext } from "./language.js";
import { announce } from "./page.js";

const SHOWN_MS = 3000;

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // Without TLS there is no clipboard: the text is selected, ready for the keys.
    getSelection().selectAllChildren(source);
    announce(gettext("Press Ctrl and C to copy."));
    return;
  }
  const said = button.textContent;
  button.textContent = gettext("Copied");
  announce(gettext("Copied."));
  setTimeout(() => (button.textContent = said), SHOWN_MS);
}
