// A capture that fails is explained before anything is sent: both sums at once, then who is in them.

import { gettext } from "../language.js";

const place = () => document.getElementById("refused");

/** The explanations of one game's refused captures. */
export class Refusals {
  constructor(id) {
    this.path = `/games/${id}/combat`;
    this.ply = null;
  }

  /** Say why a capture fails in the position after so many actions. */
  async explain({ from, to, attack, defence }, ply) {
    this.ply = ply;
    const words = document.createElement("p");
    const verdict = attack < defence ? gettext("attack {attack} against defence {defence}", { attack, defence }) : gettext("only Infantry and Archers capture a Castle");
    words.append(strong(`${gettext("Not sent:")} `), gettext("{from} cannot take {to}: {verdict}.", { from, to, verdict }));
    const told = document.createElement("div");
    told.className = "problem";
    told.append(words);
    place().replaceChildren(told);
    const combat = await this.#read(new URLSearchParams({ from, to, ply }));
    if (combat && told.isConnected) told.append(document.adoptNode(combat));
  }

  /** The breakdown of the sums; null where no answer came, and the sums alone stay. */
  async #read(asked) {
    try {
      const answer = await fetch(`${this.path}?${asked}`, { headers: { Accept: "text/html" } });
      if (!answer.ok) return null;
      return new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".combat");
    } catch {
      return null;
    }
  }

  /** Drop what was said about another position than that after so many actions; null for none. */
  keep(ply) {
    if (ply === this.ply) return;
    this.ply = ply;
    place().replaceChildren();
  }
}

function strong(text) {
  return Object.assign(document.createElement("strong"), { textContent: text });
}
