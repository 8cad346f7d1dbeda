// Suggests players as a name is typed, in a list below the field for mouse and keyboard.
//
// `data-suggest` on a field says who is suggested and what choosing does: "registered" and "any" put the name
// into the field, with the mark that distinguishes players of the same name; "page" opens the player's page.

import { gettext } from "./language.js";

const PAUSE = 150;
const ASKED = 20;
const SHOWN = 8;

let field = null;
let chosen = -1;
let waiting;
const list = document.createElement("ul");
list.id = "suggested";
list.className = "suggested";
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", gettext("Players"));
list.hidden = true;

function typed({ target }) {
  if (!target.matches?.("input[data-suggest]")) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => suggest(target), PAUSE);
}

async function suggest(own) {
  const text = own.value.trim();
  if (!text) return close();
  try {
    const answer = await fetch(`/api/v1/players?limit=${ASKED}&name=${encodeURIComponent(text)}`);
    // Ignore the answer if the text has changed or the field has lost the focus.
    if (!answer.ok || own.value.trim() !== text || document.activeElement !== own) return;
    const { items } = await answer.json();
    const wanted = own.dataset.suggest === "registered" ? items.filter((one) => one.claimed) : items;
    open(own, wanted.slice(0, SHOWN));
  } catch {
    // Without suggestions the name can still be typed.
  }
}

const named = ({ name, mark }) => (mark ? `${name} #${mark}` : name);

function open(own, players) {
  const marked = field === own ? list.children[chosen]?.dataset.player : undefined;
  close();
  if (!players.length) return;
  field = own;
  list.replaceChildren(...players.map(draw));
  if (!list.isConnected) document.body.append(list);
  const { left, bottom, width } = own.getBoundingClientRect();
  list.style.left = `${left + scrollX}px`;
  list.style.top = `${bottom + scrollY}px`;
  list.style.minWidth = `${width}px`;
  list.style.maxWidth = `${document.documentElement.clientWidth - left - 8}px`;
  list.hidden = false;
  own.setAttribute("role", "combobox");
  own.setAttribute("aria-autocomplete", "list");
  own.setAttribute("aria-controls", list.id);
  own.setAttribute("aria-expanded", "true");
  const at = players.findIndex(({ id }) => id === marked);
  if (at >= 0) mark(at);
}

function draw(player, at) {
  const option = document.createElement("li");
  option.id = `suggested-${at}`;
  option.setAttribute("role", "option");
  option.dataset.player = player.id;
  const name = document.createElement("bdi");
  name.textContent = named(player);
  const more = document.createElement("span");
  more.className = "quiet";
  const best = Math.max(...Object.values(player.ratings).flatMap((speeds) => Object.values(speeds).map((one) => one.rating)));
  more.textContent = player.claimed ? (Number.isFinite(best) ? ` ${Math.round(best)}` : "") : ` ${gettext("from records")}`;
  option.append(name, more);
  return option;
}

function close() {
  list.hidden = true;
  chosen = -1;
  field?.setAttribute("aria-expanded", "false");
  field?.removeAttribute("aria-activedescendant");
  field = null;
}

function mark(at) {
  const options = list.children;
  chosen = (at + options.length) % options.length;
  for (const [n, one] of [...options].entries()) one.setAttribute("aria-selected", String(n === chosen));
  field.setAttribute("aria-activedescendant", options[chosen].id);
  options[chosen].scrollIntoView({ block: "nearest" });
}

function choose(option) {
  const own = field;
  close();
  if (own.dataset.suggest === "page") location.assign(`/players/${option.dataset.player}`);
  else own.value = option.querySelector("bdi").textContent;
}

function keyed(event) {
  if (!field || event.target !== field || event.isComposing) return;
  if (event.key === "ArrowDown") mark(chosen + 1);
  else if (event.key === "ArrowUp") mark(chosen < 0 ? -1 : chosen - 1);
  else if (event.key === "Escape") close();
  else if (event.key === "Enter" && chosen >= 0) choose(list.children[chosen]);
  else return;
  event.preventDefault();
}

document.addEventListener("input", typed);
document.addEventListener("keydown", keyed);
document.addEventListener("focusout", ({ target }) => target === field && close());
// A press on the list must not take the focus from the field, which would close the list.
list.addEventListener("pointerdown", (event) => event.preventDefault());
list.addEventListener("mousedown", (event) => event.preventDefault());
list.addEventListener("click", ({ target }) => field && target.closest("[role=option]") && choose(target.closest("[role=option]")));
addEventListener("resize", close);
