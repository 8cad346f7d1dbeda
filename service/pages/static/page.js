// Refreshes the page from the server: `data-live` parts, none of which is within another, are replaced if they differ;
// everything else (text being typed, opened details) stays. `data-live="answer"` parts are about the reader's own action
// or the position shown, so they are replaced only for these.

import { keepBoards } from "./board/mount.js";
import { isTyped, kept } from "./kept.js";
import { changeSteadily } from "./steady.js";

/** The document in this HTML. */
export const parse = (html) => new DOMParser().parseFromString(html, "text/html");

const version = (page) => Number(page.querySelector("[data-live][data-version]")?.dataset.version ?? 0);
const fen = (page) => page.querySelector("#board .position")?.dataset.fen;

/**
 * Show the live parts of this HTML, and dispatch the event `shown` to the other scripts. If a newer version
 * is already shown, only the parts for an `answer` to the reader's own form are replaced.
 */
export function show(html, answer = false) {
  const fresh = parse(html);
  const told = version(fresh);
  const isOvertaken = () => told < version(document);
  passHead(fresh);
  const moved = !isOvertaken() && fen(fresh) !== fen(document);
  for (const part of document.querySelectorAll("[data-live]")) {
    const isAnswer = part.dataset.live === "answer";
    const due = isAnswer ? answer || (moved && !isTyped(part)) : !isOvertaken();
    const found = due && fresh.getElementById(part.id);
    if (!found) continue;
    passTokens(found, part);
    // A part that is held is replaced later, and something newer may be shown by then.
    changeSteadily(part, () => (isAnswer || !isOvertaken()) && replace(part, found));
  }
  document.dispatchEvent(new CustomEvent("shown"));
}

/** Replace a part of the page by its successor, if they differ. */
function replace(part, successor) {
  if (successor.outerHTML === part.outerHTML) return;
  const keep = kept(part);
  keepBoards(part, document.adoptNode(successor));
  part.replaceWith(successor);
  keep(successor);
}

/** Take over the CSRF token of scripts, which is another one after signing in again in another tab. */
function passHead(fresh) {
  const [own, successor] = [document, fresh].map((page) => page.querySelector('meta[name="csrf-token"]'));
  if (own && successor) own.content = successor.content;
}

/** Give the forms of a part the CSRF tokens of its successor: these are masked anew for each page, which is no reason to replace it. */
function passTokens(successor, part) {
  const fresh = [...successor.querySelectorAll('input[name="csrf"]')];
  for (const [at, own] of part.querySelectorAll('input[name="csrf"]').entries()) {
    if (fresh[at]) own.setAttribute("value", fresh[at].value);
  }
}

/** Load the page at an address, with these parameters set, or deleted if null; rejects if the service does not answer. */
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

/** Announce a text to screen readers. */
export function announce(text) {
  const region = document.getElementById("announce");
  if (region.textContent !== text) region.textContent = text;
}

/** An idempotency key for a request that may have to be sent again. */
export const freshKey = () => crypto.randomUUID?.() ?? `${Math.random()}${Math.random()}`;

export const position = () => document.querySelector("#board .position");
export const csrf = () => document.querySelector('meta[name="csrf-token"]')?.content ?? "";
