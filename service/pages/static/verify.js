// Verifies a game's log without trusting the service (docs/verification.md): each line contains the digest of the
// one before, and the last is signed with a key of the service.

import { gettext, ngettext } from "./language.js";

/** Handle download links, now and later on the page, so that a refusal is shown in the page instead of leaving it. */
function offerDownloads() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-accept]");
    if (!link) return;
    event.preventDefault();
    download(link.dataset, link.href);
  });
}

async function download({ from, accept, name }, href) {
  let answer;
  try {
    answer = await fetched(from ?? href, accept);
  } catch (error) {
    tell(gettext("Not downloaded: {reason}", { reason: error.message }));
    return;
  }
  tell("");
  const address = URL.createObjectURL(await answer.blob());
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Make the button verify the log. */
function offerVerification() {
  const button = document.getElementById("verify");
  button?.addEventListener("click", async () => {
    tell(gettext("Checking…"));
    tell(await verdict(document.getElementById("log").dataset.from).catch((error) => gettext("Not checked: {reason}", { reason: error.message })));
  });
}

function tell(text) {
  document.getElementById("verified").textContent = text;
}

/** The answer in this media type; rejects with the reason of a refusal. */
async function fetched(address, accept) {
  const answer = await fetch(address, { headers: { Accept: accept } });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw new Error(problem.detail ?? gettext("refused ({status})", { status: answer.status }));
}

async function verdict(address) {
  if (!crypto.subtle) throw new Error(gettext("this browser cannot check anything over plain HTTP"));
  const answer = await fetched(address, "application/x-ndjson");
  const lines = (await answer.text()).trimEnd().split("\n");
  const head = JSON.parse(lines.pop());
  let digest = "0".repeat(64);
  for (const [index, line] of lines.entries()) {
    if (JSON.parse(line).previous !== digest) return gettext("Broken before event {number}.", { number: index + 1 });
    digest = hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(line)));
  }
  if (head.head !== digest || head.count !== lines.length) return gettext("The log does not end where its signature says.");
  const signed = await isSigned(head);
  return signed ? ngettext("Checked: {num} event, an unbroken chain, signed by key {key}.", "Checked: {num} events, an unbroken chain, signed by key {key}.", lines.length, { key: head.key })
    : gettext("The signature is not the service's.");
}

async function isSigned({ signature, ...rest }) {
  const { keys } = await (await fetch("/.well-known/movelog-keys")).json();
  const known = keys.find((one) => one.kid === rest.key);
  if (!known) return false;
  const key = await crypto.subtle.importKey("jwk", { kty: known.kty, crv: known.crv, x: known.x }, "Ed25519", false, ["verify"]);
  const sorted = Object.fromEntries(Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1)));
  return crypto.subtle.verify("Ed25519", key, bytes(signature), new TextEncoder().encode(JSON.stringify(sorted)));
}

const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

offerDownloads();
offerVerification();
