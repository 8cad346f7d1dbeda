// Runs before the page's modules, which take a moment on a slow network: input on a board until then is kept and
// repeated once the board is mounted (`board/early_clicks.js`). A drag is kept as its two ends, a key as its name.

(() => {
  const MOST = 12;
  const FAR = 8;
  const KEYS = ["ArrowLeft", "ArrowRight", "Home", "End", "f"];
  /** The boards to play on; keys are for the first kind, which has the pieces in hand beside it: a page has one of these. */
  const MAIN = "#board .position";
  const BOARDS = `${MAIN}, figure.example .ground`;
  /** What was done on each board, in order. */
  const kept = new Map();
  const mounted = new WeakSet();
  let pressed = null;

  const keep = (board, input) => {
    if (!board || mounted.has(board)) return;
    const before = kept.get(board) ?? [];
    if (before.length < MOST) kept.set(board, [...before, input]);
  };
  /** Keep the position of an event within a board, as fractions of its width and height. */
  const keepPlace = (board, { clientX, clientY }) => {
    const box = board.getBoundingClientRect();
    keep(board, [(clientX - box.x) / box.width, (clientY - box.y) / box.height]);
  };
  const boardOf = ({ target }) => (target.closest?.("a, summary, details") ? null : target.closest?.(BOARDS));

  const heard = {
    pointerdown(event) {
      pressed = event.isPrimary && event.button === 0 && boardOf(event) ? event : null;
    },
    pointerup(event) {
      if (!pressed) return;
      const board = boardOf(pressed);
      keepPlace(board, pressed);
      const far = Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) > FAR;
      if (far && boardOf(event) === board) keepPlace(board, event);
      pressed = null;
    },
    // The finger is scrolling.
    pointercancel() {
      pressed = null;
    },
    keydown({ target, key, ctrlKey, metaKey, altKey, shiftKey }) {
      const taken = ctrlKey || metaKey || altKey || shiftKey || target.closest?.("input, select, textarea, dialog");
      if (!taken && KEYS.includes(key)) keep(document.querySelector(MAIN), key);
    },
  };
  for (const [kind, hear] of Object.entries(heard)) addEventListener(kind, hear, true);

  /** Return what was done on a board, and stop keeping it. */
  globalThis.takeEarlyClicks = (board) => {
    const done = kept.get(board) ?? [];
    kept.delete(board);
    mounted.add(board);
    return done;
  };
})();
