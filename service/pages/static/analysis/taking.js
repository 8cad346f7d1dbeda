// What is taken away from the analysis board: a link to the line shown, its position, the record of the whole tree. It is
// copied, and shown in a field from which it can be copied by hand.

import { gettext } from "../language.js";
import { announce } from "../page.js";
import { writeRecord } from "./tree.js";

/** Let the buttons of the page take what `page` shows: its `tree`, `told`, and how actions are numbered. */
export function letTake(page, number) {
  const field = document.getElementById("taken");
  const texts = {
    link: () => location.href,
    fen: ({ tree }) => tree.current.told.position.fen,
    record: ({ tree, told }) => writeRecord(tree, told, number),
  };
  for (const button of document.querySelectorAll("[data-take]")) {
    button.addEventListener("click", async () => {
      field.hidden = false;
      field.value = texts[button.dataset.take](page);
      field.select();
      // Without TLS there is no clipboard to write to; what is selected can be copied all the same.
      await navigator.clipboard?.writeText(field.value).catch(() => document.execCommand("copy"));
      announce(gettext("Copied."));
    });
  }
}
