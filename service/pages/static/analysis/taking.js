// Copying from the analysis board: a link to the line shown, its position, or the record of the whole tree. The text is
// also shown in a field, from which it can be copied by hand.

import { gettext } from "../language.js";
import { announce } from "../page.js";
import { writeRecord } from "./tree.js";

/** Make the copy buttons work: `page` has `tree` and `told`; `number` numbers actions. */
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
      // Without TLS there is no clipboard API, but the selection can still be copied.
      await navigator.clipboard?.writeText(field.value).catch(() => document.execCommand("copy"));
      announce(gettext("Copied."));
    });
  }
}
