// The examples on a page of the rules: pictures that become boards to play on when they come near the viewport.

import { Exercise } from "./exercise.js";

const near = new IntersectionObserver(
  (seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      // If the service does not answer, the picture stays.
      Exercise.open(target).catch(() => {});
    }
  },
  { rootMargin: "300px" },
);

for (const figure of document.querySelectorAll("figure.example")) near.observe(figure);
