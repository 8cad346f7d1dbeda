// The reader's unfinished input in a part of the page: typed text, opened details, the focus.

const typeOf = ({ form }) => [form?.elements.type?.value, form?.elements.ply?.value].join(" ");
const fields = (part) => [...part.querySelectorAll("input:not([type=hidden]), select, textarea")];
const peers = (part, field) => fields(part).filter((one) => one.name === field.name && typeOf(one) === typeOf(field));
const alike = (part, one) => [...part.querySelectorAll(one.localName)].find((other) => other.textContent === one.textContent);

/** Whether this is a touch screen, where focusing a field opens a keyboard over the page. */
export const touches = () => matchMedia("(pointer: coarse)").matches;

/** Where the focus goes when its element is gone: from a button to the field for the next action, else to the page. */
const refuge = (focused) =>
  (focused.localName === "button" && !touches() && document.querySelector("#act input:not([type=hidden])")) || document.getElementById("main");

/** Whether something has been typed in a part of the page that was not sent. */
export const isTyped = (part) => fields(part).some((field) => field.value !== field.defaultValue);

/** Returns a function that restores all this in the part's successor, as far as it has the elements. */
export function kept(part) {
  const typed = fields(part).filter((field) => field.value !== field.defaultValue);
  const places = typed.map((field) => ({ field, at: peers(part, field).indexOf(field) }));
  const summaries = [...part.querySelectorAll("summary")];
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const at = focused?.matches("input, select, textarea") ? peers(part, focused).indexOf(focused) : -1;
  return (successor) => {
    for (const { field, at } of places) {
      const own = peers(successor, field)[at];
      if (own) own.value = field.value;
    }
    for (const one of summaries) alike(successor, one)?.parentElement.toggleAttribute("open", one.parentElement.open);
    if (!focused) return;
    const own = at < 0 ? alike(successor, focused) : peers(successor, focused)[at];
    (own ?? refuge(focused)).focus({ preventScroll: true });
  };
}
