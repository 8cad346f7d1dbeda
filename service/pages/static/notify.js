// Notifies readers that it is their turn while no page of the site is visible. The browser asks for permission
// only when the reader turns the switch on.

import { gettext } from "./language.js";
import { followOwnGames, isLeading, stayInBackground } from "./own-games.js";

const KEPT = "movelog-notify";
const UNABLE = "unable";
const SEEN = "movelog-seen";
const REFUSED = gettext("This browser blocks notifications: allow them for this site in its settings.");

const shown = new Map();
let unsee = null;

/**
 * Whether pages may make notifications, which Chrome for Android leaves to service workers. Without permission, the
 * browser shows none, so that one can be made as a test; with it, the first that failed is remembered.
 */
const mayMake = "Notification" in window && (Notification.permission === "granted" || make("", {}) !== null);
const isPossible = () => mayMake && "locks" in navigator && localStorage.getItem(KEPT) !== UNABLE;
const isOn = () => isPossible() && Notification.permission === "granted" && localStorage.getItem(KEPT) === "on";

function start() {
  if (!isPossible()) return;
  followOwnGames(tellTurn);
  document.addEventListener("visibilitychange", beSeen);
  addEventListener("storage", ({ key }) => key === KEPT && settle());
  const line = document.getElementById("notify");
  line?.querySelector("button").addEventListener("click", turnSwitch);
  beSeen();
  settle();
}

/** A notification, or null if this browser does not let pages make any. */
function make(title, options) {
  try {
    return new Notification(title, options);
  } catch {
    return null;
  }
}

async function turnSwitch() {
  const wish = !isOn();
  // A browser that does not even ask has not granted it.
  if (wish && Notification.permission !== "granted") await Notification.requestPermission().catch(() => {});
  localStorage.setItem(KEPT, wish && Notification.permission === "granted" ? "on" : "off");
  settle(wish && !isOn() ? REFUSED : "");
}

/** Show on the switch whether notifications are on, and keep the stream in the background accordingly. */
function settle(said = "") {
  stayInBackground(isOn());
  const line = document.getElementById("notify");
  if (!line) return;
  line.classList.toggle("away", !isPossible());
  line.querySelector("button").setAttribute("aria-checked", String(isOn()));
  line.querySelector("[role=status]").textContent = said || (isOn() ? gettext("On: you are notified while these pages are hidden.") : "");
}

/** A visible page holds a lock, from which the other tabs know that no notification is needed. */
function beSeen() {
  if (document.hidden) {
    unsee?.();
    unsee = null;
    return;
  }
  for (const one of shown.values()) one.close();
  shown.clear();
  if (unsee) return;
  unsee = () => {};
  navigator.locks.request(SEEN, { mode: "shared" }, () => document.hidden ? null : new Promise((done) => (unsee = done)));
}

const isSeen = async () => (await navigator.locks.query()).held.some((one) => one.name === SEEN);
const isAsked = (task) => task.your_turn || task.kind === "choose";

async function tellTurn(task, before) {
  if (!isAsked(task)) {
    shown.get(task.game)?.close();
    return;
  }
  const known = before === undefined || (before && isAsked(before) && before.ply === task.ply);
  if (known || !isOn() || !isLeading() || (await isSeen())) return;
  const { title, body } = describe(task);
  const told = make(title, { body, tag: task.game, icon: document.querySelector('link[rel="icon"]').href });
  if (!told) {
    localStorage.setItem(KEPT, UNABLE);
    return settle();
  }
  shown.set(task.game, told);
  told.onclick = () => {
    focus();
    told.close();
    location.assign(`/games/${task.game}`);
  };
}

/** What a notification says; a process of an earlier version does not send who plays. */
function describe({ variant, side, kind, players, last_san: last }) {
  if (!players) return { title: gettext("Your turn"), body: "" };
  const { name, mark } = players[side === "first" ? "second" : "first"];
  const opponent = mark ? `${name} #${mark}` : name;
  const done = kind === "choose" ? gettext("It is your turn to choose in secret.") : last ? gettext("{action} was played.", { action: last }) : gettext("You begin.");
  const word = variant.replaceAll("-", " ").replace(/\b\w/g, (letter) => letter.toUpperCase());
  return { title: gettext("Your turn against {opponent}", { opponent }), body: `${word}: ${done}` };
}

start();
