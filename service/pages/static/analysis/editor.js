// Setting up a position: pieces are placed on the board and removed, the other fields have controls, and the position
// string follows. The service validates it; each refusal is shown beside the control that caused it.

import { element } from "../board/svg.js";
import { gettext } from "../language.js";
import { announce } from "../page.js";
import { Fields } from "./fields.js";

const SPAN = 40;
const SETTLED = 150;

/** The position editor, a `<details>` on the page. */
export class Editor {
  constructor(board, { fields, variant }) {
    this.board = board;
    this.variant = variant;
    this.place = document.getElementById("editor");
    this.letter = null;
    this.run = 0;
    this.fen = this.place.querySelector("[name=fen]");
    this.fields = new Fields(this.place.querySelector(".fields"), board, fields, () => this.#tell());
    this.place.addEventListener("toggle", () => this.#toggle());
    this.place.querySelector("[data-clear]").addEventListener("click", () => this.#set(new Map()));
    this.fen.addEventListener("input", () => this.#judge(true));
    this.place.querySelector("form").addEventListener("submit", (event) => this.#use(event));
    board.on("select", (cell) => this.place.open && this.#put(cell));
    this.#fill();
  }

  /** Fill the palette: a button for each piece, and one that removes pieces. */
  #fill() {
    const { geometry, pieces } = this.board;
    const buttons = [...geometry.figures.keys()].map((letter) => {
      const figure = geometry.figure(letter, null);
      const box = `${-SPAN / 2} ${-SPAN / 2} ${SPAN} ${SPAN}`;
      const picture = element("svg", { class: `board ${geometry.variant}`, viewBox: box, "aria-hidden": "true" });
      picture.append(pieces.draw(figure, SPAN));
      return this.#button(letter, figure.text, picture);
    });
    const off = gettext("Take off");
    this.place.querySelector(".palette").replaceChildren(...buttons, this.#button("", off, off));
  }

  #button(letter, name, shown) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "second";
    button.title = name;
    button.setAttribute("aria-label", name);
    button.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-describedby", "refused-placement");
    button.append(shown);
    button.addEventListener("click", () => {
      this.letter = letter;
      for (const one of this.place.querySelectorAll(".palette button")) one.setAttribute("aria-pressed", String(one === button));
    });
    return button;
  }

  /** The pieces that are being set up from a position, or null. */
  piecesFrom(position) {
    return this.place.open && position.fen === this.position?.fen ? this.standing : null;
  }

  /** The page shows a position: if it is another one, editing starts from it. */
  show(position) {
    const stays = position.fen === this.position?.fen;
    this.position = position;
    if (this.place.open && !stays) this.#toggle();
  }

  #toggle() {
    const { board, place, position } = this;
    if (place.open) {
      board.set({ selectable: [...board.geometry.cells.keys()] });
      this.#adopt(position.fen);
      this.fen.value = position.fen;
      this.#refuse(null);
    } else {
      board.set({ selectable: null, standing: null });
    }
  }

  #put(cell) {
    if (this.letter === null) return;
    const standing = new Map(this.standing);
    if (this.letter === "" || standing.get(cell) === this.letter) standing.delete(cell);
    else standing.set(cell, this.letter);
    this.#set(standing);
  }

  #set(standing) {
    this.standing = standing;
    this.board.set({ standing });
    this.fields.stand(standing);
    this.#tell();
  }

  /** Show a position that the service accepted on the board and in the controls. */
  #adopt(fen) {
    this.standing = this.board.geometry.place(fen);
    this.board.set({ standing: this.standing });
    this.fields.stand(this.standing);
    this.fields.texts = fen.split(" ").slice(1);
  }

  /** Write the position string from the board and the fields. */
  #tell() {
    const rows = this.board.geometry.rows.map((row) => row.map((cell) => this.standing.get(cell) ?? " ").join(""));
    const placement = rows.map((row) => row.replaceAll(/ +/g, (blanks) => blanks.length)).join("/");
    this.fen.value = [placement, ...this.fields.texts].join(" ");
    this.#judge(false);
  }

  /** Ask the service once input has settled. A typed position is put on the board if the service accepts it. */
  #judge(typed) {
    clearTimeout(this.settling);
    this.run += 1;
    this.settling = setTimeout(() => this.#ask(typed, this.run), SETTLED);
  }

  async #ask(typed, run) {
    const fen = this.fen.value.trim();
    const asked = new URLSearchParams({ fen });
    let told = { detail: gettext("No answer. Try again.") };
    let known = false;
    try {
      const answer = await fetch(`/api/v1/variants/${this.variant}/position?${asked}`, { headers: { Accept: "application/json" } });
      told = await answer.json();
      known = answer.ok;
    } catch {
      // Shown as a refusal, beside the text.
    }
    if (run !== this.run) return;
    if (!known) return this.#refuse(told, typed);
    this.#refuse(null);
    if (typed) this.#adopt(fen);
  }

  /** Show a refusal beside the control that caused it, or beside the text if that was typed; null clears it. */
  #refuse(told, typed = false) {
    this.refused = told;
    for (const place of this.place.querySelectorAll(".refusal")) Object.assign(place, { hidden: true, textContent: "" });
    if (!told) return;
    const own = told.field === "placement" ? document.getElementById("refused-placement") : this.fields.refusalOf(told.field);
    const beside = (!typed && own) || document.getElementById("refused-fen");
    Object.assign(beside, { hidden: false, textContent: beside === own ? told.detail.replace(`${told.field}: `, "") : told.detail });
    this.beside = beside;
    announce(beside.textContent);
  }

  /** A refused position is not opened; the focus moves to the control that was refused. */
  #use(event) {
    if (!this.refused) return;
    event.preventDefault();
    this.place.querySelector(`[aria-describedby="${this.beside.id}"]`)?.focus();
    announce(this.beside.textContent);
  }
}
