// Runs before the page's modules, which take a moment on a slow network: input on the board until then is kept and
// repeated once the board is mounted (`game/early_clicks.js`). A drag is kept as its two ends, a replay key as its name.

(() => {
  const MOST = 12;
  const FAR = 8;
  const KEYS = ["ArrowLeft", "ArrowRight", "Home", "End", "f"];
  const kept = [];
  let pressed = null;

  /** The position of an event within the board's place, as fractions of its width and height; null outside it. */
  const placeOf = ({ target, clientX, clientY }) => {
    const place = target.closest?.("#board .position");
    if (!place || target.closest("a, summary, details")) return null;
    const box = place.getBoundingClientRect();
    return [(clientX - box.x) / box.width, (clientY - box.y) / box.height];
  };
  const keep = (place) => place && kept.length < MOST && kept.push(place);

  const heard = {
    pointerdown(event) {
      const own = event.isPrimary && event.button === 0 ? placeOf(event) : null;
      pressed = own && { place: own, x: event.clientX, y: event.clientY };
    },
    pointerup(event) {
      if (!pressed) return;
      keep(pressed.place);
      if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > FAR) keep(placeOf(event));
      pressed = null;
    },
    // The finger is scrolling.
    pointercancel() {
      pressed = null;
    },
    keydown({ target, key, ctrlKey, metaKey, altKey, shiftKey }) {
      const taken = ctrlKey || metaKey || altKey || shiftKey || target.closest?.("input, select, textarea, dialog");
      if (!taken && KEYS.includes(key) && document.querySelector("#board .position")) keep(key);
    },
  };
  for (const [kind, hear] of Object.entries(heard)) addEventListener(kind, hear, true);

  /** Return the kept input and stop keeping any. */
  globalThis.takeEarlyClicks = () => {
    for (const [kind, hear] of Object.entries(heard)) removeEventListener(kind, hear, true);
    return kept.splice(0);
  };
})();
