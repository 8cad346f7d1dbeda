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
  /** The mounted boards, and how to repeat input on them. */
  const mounted = new WeakMap();
  let pressed = null;
  let clicks = 0;

  /** The board that an event is on, with the event's place there as fractions of its width and height. */
  const findPlace = ({ target, clientX, clientY }) => {
    const board = target.closest?.(BOARDS);
    if (!board || target.closest("a, summary, details")) return null;
    const box = board.getBoundingClientRect();
    return { board, place: [(clientX - box.x) / box.width, (clientY - box.y) / box.height] };
  };
  const keep = (board, input) => {
    if (!board || mounted.has(board)) return;
    const before = kept.get(board) ?? [];
    if (before.length < MOST) kept.set(board, [...before, input]);
  };

  const heard = {
    pointerdown(event) {
      const found = event.isPrimary && event.button === 0 ? findPlace(event) : null;
      pressed = found && !mounted.has(found.board) ? { ...found, x: event.clientX, y: event.clientY } : null;
    },
    pointerup(event) {
      if (!pressed) return;
      const { board, place, x, y } = pressed;
      const end = Math.hypot(event.clientX - x, event.clientY - y) > FAR ? findPlace(event) : null;
      const places = end?.board === board ? [place, end.place] : [place];
      if (mounted.has(board)) repeatLate(board, places, event.pointerType);
      else for (const each of places) keep(board, each);
      pressed = null;
    },
    click() {
      clicks += 1;
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

  /** Repeat what began before the board was mounted and ended after it, unless the browser makes a click of it: what was pressed may be gone. */
  const repeatLate = (board, places, pointer) => {
    const before = clicks;
    // The click of a finger comes later, and is always made.
    if (pointer !== "touch") setTimeout(() => clicks === before && mounted.get(board)(places));
  };

  /** Repeat what was done on a board with this function, and stop keeping it. */
  globalThis.repeatEarly = (board, repeat) => {
    const done = kept.get(board) ?? [];
    kept.delete(board);
    mounted.set(board, repeat);
    repeat(done);
  };
})();
