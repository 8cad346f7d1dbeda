// Repeats the input on the board that early.js kept, in order, before the page's modules were loaded.

/** Repeat on the board the clicks and keys that were meant for the picture in its place. */
export function repeatEarlyClicks(place) {
  for (const one of globalThis.takeEarlyClicks?.() ?? []) {
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
