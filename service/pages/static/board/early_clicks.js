// Repeats the input on a board that early.js kept, in order, before the board was there.

/** Repeat the clicks and keys meant for the picture in the board's place; `place` may also contain the pieces in hand. */
export function repeatEarlyClicks(place) {
  globalThis.repeatEarly?.(place, (inputs) => repeat(place, inputs));
}

function repeat(place, inputs) {
  for (const one of inputs) {
    if (typeof one === "string") {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: one, bubbles: true, cancelable: true }));
      continue;
    }
    const [across, down] = one;
    const box = place.getBoundingClientRect();
    const [clientX, clientY] = [box.x + across * box.width, box.y + down * box.height];
    const target = document.elementFromPoint(clientX, clientY);
    if (!place.contains(target)) continue;
    target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, clientX, clientY }));
  }
}
