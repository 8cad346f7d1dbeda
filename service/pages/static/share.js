// Sharing a game: links and frames always lead to the position shown, and a button copies them.

import { copyField } from "./clipboard.js";
import { gettext } from "./language.js";

const panel = document.querySelector("[data-share]");
const board = document.getElementById("board");

/** Write the position shown into every address of the panel. */
function follow() {
  const { ply, below } = board.querySelector("[data-ply]")?.dataset ?? {};
  if (ply === undefined) return;
  const place = new URLSearchParams({ ply, ...(below && { below }) }).toString();
  const moved = (text) => text.replace(/\?[^"]*/, `?${place}`);
  const link = panel.querySelector("[data-link]");
  const frame = panel.querySelector("[data-frame]");
  link.value = moved(link.value);
  frame.value = frame.value.replace(/src="[^"]*"/, (source) => moved(source.slice(0, -1).replaceAll("&amp;", "&")).replaceAll("&", "&amp;") + '"');
  for (const picture of panel.querySelectorAll("[data-picture]")) {
    picture.setAttribute("href", moved(picture.getAttribute("href")));
  }
}

/** Add a button after a field that copies its text. */
function addCopy(field) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "second";
  button.textContent = gettext("Copy");
  button.addEventListener("click", async () => {
    if (!(await copyField(field))) return;
    button.textContent = gettext("Copied");
    setTimeout(() => (button.textContent = gettext("Copy")), 2000);
  });
  field.closest("label").after(button);
}

if (panel && board) {
  for (const field of panel.querySelectorAll("[data-link], [data-frame]")) addCopy(field);
  new MutationObserver(follow).observe(board, { attributes: true, childList: true, subtree: true, attributeFilter: ["data-ply", "data-below"] });
}
