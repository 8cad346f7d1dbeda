// Boards to look at: those that a page has as `<div data-board data-variant data-fen>`.

/** Put a board in each such element that has none yet, when it comes near the window. Others follow its attributes. */
export function mountBoards(root = document) {
  for (const element of root.querySelectorAll("[data-board]:not([data-mounted])")) {
    element.dataset.mounted = "";
    near.observe(element);
  }
}

const near = new IntersectionObserver(
  (seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      mount(target);
    }
  },
  { rootMargin: "200px" },
);

async function mount(element) {
  try {
    const { mountBoard } = await import("./board.js");
    const board = await mountBoard(element, { variant: element.dataset.variant, viewOnly: true });
    if (element.closest("a")) board.ground.becomePicture(element.querySelector("img")?.alt);
    const show = () => board.set(told(element.dataset));
    show();
    new MutationObserver(show).observe(element, { attributes: true });
  } catch {
    // The picture that the service has drawn stays.
    delete element.dataset.mounted;
  }
}

/** Boards of a part of the page go on in its successor, unless that shows another game. What is newer is shown. */
export function keepBoards(part, successor) {
  for (const board of part.querySelectorAll("[data-board][data-mounted][data-of]")) {
    const { of, variant, version } = board.dataset;
    const next = successor.querySelector(`[data-board][data-of="${CSS.escape(of)}"]:not([data-mounted])`);
    if (!next || next.dataset.variant !== variant) continue;
    if (Number(next.dataset.version) >= Number(version)) Object.assign(board.dataset, next.dataset);
    board.toggleAttribute("data-following", next.hasAttribute("data-following"));
    next.replaceWith(board);
  }
}

const told = ({ fen, below = "first", last = "", ply = 0 }) => ({
  position: { fen, ply: Number(ply), last: last.split(" ").filter(Boolean), threatened: [], marked: [] },
  orientation: below,
});
