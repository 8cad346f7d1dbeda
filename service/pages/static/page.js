// A page as the server has it now, put in the place of what is shown: parts that are `data-live`
// are replaced where they differ, all else (what is being typed, what is open) stays. What is
// `data-live="answer"` tells of the reader's own doing, and of the position shown: other news leave it.

import { keepBoards } from "./board/mount.js";
import { kept } from "./kept.js";

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

const version = (page) => Number(page.querySelector("[data-live][data-version]")?.dataset.version ?? 0);
const fen = (page) => page.querySelector("#board .position")?.dataset.fen;

/**
 * Show the live parts of this HTML; tells the rest of the scripts with the event `shown`.
 * What was asked for before something newer was shown, and came after it, is not shown, but for what
 * an `answer` to the reader's own form says of that.
 */
export function show(html, answer = false) {
  const fresh = parse(html);
  const overtaken = version(fresh) < version(document);
  const moved = !overtaken && fen(fresh) !== fen(document);
  for (const part of document.querySelectorAll("[data-live]")) {
    const due = part.dataset.live === "answer" ? answer || moved : !overtaken;
    const found = due && fresh.getElementById(part.id);
    if (found && found.outerHTML !== part.outerHTML) {
      const keep = kept(part);
      keepBoards(part, document.adoptNode(found));
      part.replaceWith(found);
      keep(found);
    }
  }
  document.dispatchEvent(new CustomEvent("shown"));
}

/** The page at an address, with the parameters given changed; the promise fails without an answer. */
export async function load(parameters = {}, path = location.pathname) {
  const address = new URL(path, location.href);
  address.search = path === location.pathname ? location.search : "";
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.text();
}

/** Have screen readers say something. */
export function announce(text) {
  const region = document.getElementById("announce");
  if (region.textContent !== text) region.textContent = text;
}

/** A key for a request that may have to be sent again. */
export const freshKey = () => crypto.randomUUID?.() ?? `${Math.random()}${Math.random()}`;

export const position = () => document.querySelector("#board .position");
export const csrf = () => document.querySelector('meta[name="csrf-token"]')?.content ?? "";
