// Copying from the analysis board: a link to the line shown, its position, or the record of the whole tree. The text is
// also shown in a field, from which it can be copied by hand.

import { copyField } from "../clipboard.js";
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
    button.addEventListener("click", () => {
      field.hidden = false;
      field.value = texts[button.dataset.take](page);
      copyField(field);
    });
  }
}
