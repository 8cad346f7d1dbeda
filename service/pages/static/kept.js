// The reader's unfinished input in a part of the page: typed text, opened details, the focus.

/** The hidden fields that tell the forms of a page apart. */
const TELLING = ["type", "ply", "round", "player", "side"].map((name) => `input[type="hidden"][name="${name}"]`).join();
const typeOf = (one) => [...(one.closest("form")?.querySelectorAll(TELLING) ?? [])].map(({ name, value }) => `${name} ${value}`).join();
const fields = (part) => [...part.querySelectorAll("input:not([type=hidden]), select, textarea")];
/** The fields of a part with the same name in forms of the same type; those of a result are about the same pairing. */
const peers = (part, field) =>
  fields(part).filter((one) => one.name === field.name && one.dataset.pairing === field.dataset.pairing && typeOf(one) === typeOf(field));
const purpose = (one) => [typeOf(one), one.closest("[data-game]")?.dataset.game].join();

/** The element of a part with the same text, in a form of the same type and the row of the same game; of links, best that to the same address. */
function alike(part, one) {
  const named = [...part.querySelectorAll(one.localName)].filter((other) => other.textContent === one.textContent);
  const found = named.filter((other) => purpose(other) === purpose(one));
  return found.find((other) => other.href === one.href) ?? found[0];
}

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
