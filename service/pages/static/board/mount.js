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
    const show = () => board.set(told(element.dataset));
    show();
    new MutationObserver(show).observe(element, { attributes: true });
  } catch {
    // The picture that the service has drawn stays.
    delete element.dataset.mounted;
  }
}

const told = ({ fen, below = "first", last = "", ply = 0 }) => ({
  position: { fen, ply: Number(ply), last: last.split(" ").filter(Boolean), threatened: [], marked: [] },
  orientation: below,
});
