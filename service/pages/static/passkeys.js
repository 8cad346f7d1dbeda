// Creating passkeys and signing in with them. The forms stay hidden if the browser does not support passkeys.

import { gettext } from "./language.js";
import { announce, csrf } from "./page.js";

const adding = document.getElementById("add-passkey");
const entering = document.getElementById("use-passkey");

if (window.PublicKeyCredential) {
  for (const form of [adding, entering]) {
    if (!form) continue;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      run(form, form === adding ? add : enter);
    });
  }
}

async function run(form, deed) {
  const problem = form.querySelector("[role=alert]");
  problem.textContent = "";
  try {
    location.assign((await deed(form)).next);
  } catch (error) {
    // A DOMException: the browser's dialog was closed, or the device has no such passkey.
    const refused = error instanceof DOMException && gettext("Nothing was done: your device did not provide a passkey.");
    const said = error.detail || refused || gettext("No answer. Try again.");
    problem.textContent = said;
    announce(said);
  }
}

async function add(form) {
  const sent = Object.fromEntries(new FormData(form));
  const options = await post("/account/passkeys/options", sent);
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: options.excludeCredentials.map((one) => ({ ...one, id: bytes(one.id) })),
  };
  const made = await navigator.credentials.create({ publicKey });
  const { attestationObject, clientDataJSON } = made.response;
  const response = { attestationObject: text(attestationObject), clientDataJSON: text(clientDataJSON) };
  return post("/account/passkeys", { name: sent.name, credential: written(made, response) });
}

async function enter(form) {
  const options = await post("/sign-in/passkey/options", {});
  const publicKey = { ...options, challenge: bytes(options.challenge), allowCredentials: [] };
  const found = await navigator.credentials.get({ publicKey });
  const { authenticatorData, clientDataJSON, signature, userHandle } = found.response;
  const response = {
    authenticatorData: text(authenticatorData),
    clientDataJSON: text(clientDataJSON),
    signature: text(signature),
    userHandle: text(userHandle),
  };
  const next = new URLSearchParams({ next: new FormData(form).get("next") });
  return post(`/sign-in/passkey?${next}`, { credential: written(found, response) });
}

/** The JSON of a credential. */
const written = (made, response) => ({
  id: made.id,
  rawId: text(made.rawId),
  type: made.type,
  response,
  clientExtensionResults: made.getClientExtensionResults(),
});

async function post(path, body) {
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf() };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const told = await answer.json();
  if (!answer.ok) throw told;
  return told;
}

/** Decodes base64url; `text` below encodes it. */
function bytes(encoded) {
  const plain = atob(encoded.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(plain, (char) => char.charCodeAt(0));
}
function text(buffer) {
  const plain = String.fromCharCode(...new Uint8Array(buffer ?? []));
  return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
