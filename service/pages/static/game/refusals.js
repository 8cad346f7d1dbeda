// A failing capture is explained before anything is sent: first both sums, then the pieces counted in them.

import { gettext } from "../language.js";

const place = () => document.getElementById("refused");

/** Explains the failing captures of one game. */
export class Refusals {
  constructor(id) {
    this.path = `/games/${id}/combat`;
    this.ply = null;
  }

  /** Show why a capture fails in the position at a ply. */
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
    // If the kind of the piece is the reason, the sums are not.
    if (!weak) return;
    const combat = await this.#read(new URLSearchParams({ from, to, ply }));
    if (combat && told.isConnected) told.append(document.adoptNode(combat));
  }

  /** The breakdown of the sums; null without an answer, which leaves only the sums. */
  async #read(asked) {
    try {
      const answer = await fetch(`${this.path}?${asked}`, { headers: { Accept: "text/html" } });
      if (!answer.ok) return null;
      return new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".combat");
    } catch {
      return null;
    }
  }

  /** Drop the explanation, unless it is about the position at this ply; null drops any. */
  keep(ply) {
    if (ply === this.ply) return;
    this.ply = ply;
    place().replaceChildren();
  }
}

function strong(text) {
  return Object.assign(document.createElement("strong"), { textContent: text });
}
