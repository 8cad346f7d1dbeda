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
  async explain({ from, to, attack, defence, verdict }, ply) {
    this.ply = ply;
    const words = document.createElement("p");
    const weak = verdict === "too weak";
    const said = weak
      ? gettext("{from} cannot take {to}: attack {attack} against defence {defence}.", { from, to, attack, defence })
      : gettext("{from} cannot take {to}: only Infantry and Archers capture the Castle.", { from, to });
    words.append(strong(`${gettext("Not sent:")} `), said);
    const told = document.createElement("div");
    told.className = "problem";
    told.append(words);
    place().replaceChildren(told);
    // The sums are not the reason where the kind of the piece is.
    if (!weak) return;
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
