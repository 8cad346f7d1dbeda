// Boards to look at: the `<div data-board data-variant data-fen>` of a page.

/** Mount a board in each of these elements when it comes near the viewport. The board follows its attributes. */
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
    // The service's picture stays.
    delete element.dataset.mounted;
  }
}

/** Move the mounted boards of a part of the page to its replacement, for the same games; the newer position is shown. */
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
