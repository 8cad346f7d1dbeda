// A page as the server has it now, put in the place of what is shown: parts that are `data-live`
// are replaced where they differ, all else (what is being typed, what is open) stays.

import { kept } from "./kept.js";

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

const version = (page) => Number(page.querySelector("[data-version]")?.dataset.version ?? 0);

/**
 * Show the live parts of this HTML; tells the rest of the scripts with the event `shown`.
 * What was asked for before something newer was shown, and came after it, is not shown.
 */
export function show(html) {
  const fresh = parse(html);
  if (version(fresh) < version(document)) return;
  for (const part of document.querySelectorAll("[data-live]")) {
    const found = fresh.getElementById(part.id);
    if (found && found.outerHTML !== part.outerHTML) {
      const keep = kept(part);
      part.replaceWith(document.adoptNode(found));
      keep(found);
    }
  }
  document.dispatchEvent(new CustomEvent("shown"));
}

/** Put a board in the place of the one shown. */
export function showBoard(html) {
  const found = parse(html).querySelector(".position");
  document.querySelector("#board .position").replaceWith(document.adoptNode(found));
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

/** Send a form and show what comes back, be it the next page or the same with what was refused. */
export async function send(form) {
  // A field may be called `action`, which hides the form's own.
  const answer = await fetch(form.getAttribute("action"), {
    method: "POST", headers: { Accept: "text/html" }, body: new URLSearchParams(new FormData(form)),
  });
  if (answer.ok) form.reset();
  show(await answer.text());
}

/** Have screen readers say something. */
export function announce(text) {
  const region = document.getElementById("announce");
  if (region.textContent !== text) region.textContent = text;
}

export const position = () => document.querySelector("#board .position");
export const csrf = () => document.querySelector('meta[name="csrf-token"]')?.content ?? "";
