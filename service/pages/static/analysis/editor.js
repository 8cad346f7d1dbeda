// Setting up a position: pieces are put on the board and taken off, the other fields have controls, and the position string
// says the same. The service judges; what it refuses it refuses beside the control that it is about.

import { element } from "../board/svg.js";
import { gettext } from "../language.js";
import { announce } from "../page.js";
import { Fields } from "./fields.js";

const SPAN = 40;
const SETTLED = 150;

/** The editor of a position, a part of the page that is opened. */
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

  /** The pieces to put, each a button, and one that takes off. */
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

  /** The page shows another position: setting up begins with that. */
  show(position) {
    this.position = position;
    if (this.place.open) this.#toggle();
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

  /** Board and controls show a position that the service knows to be one. */
  #adopt(fen) {
    this.standing = this.board.geometry.place(fen);
    this.board.set({ standing: this.standing });
    this.fields.stand(this.standing);
    this.fields.texts = fen.split(" ").slice(1);
  }

  /** Write the position string of what stands on the board and of the fields. */
  #tell() {
    const rows = this.board.geometry.rows.map((row) => row.map((cell) => this.standing.get(cell) ?? " ").join(""));
    const placement = rows.map((row) => row.replaceAll(/ +/g, (blanks) => blanks.length)).join("/");
    this.fen.value = [placement, ...this.fields.texts].join(" ");
    this.#judge(false);
  }

  /** Ask the service, once nothing has changed for a moment. What was typed is shown if it is a position. */
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
      // Told as a refusal, beside the text.
    }
    if (run !== this.run) return;
    if (!known) return this.#refuse(told, typed);
    this.#refuse(null);
    if (typed) this.#adopt(fen);
  }

  /** Say what is wrong beside the control that it is about; what was typed is wrong where it was typed. Null for nothing. */
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

  /** A position that is refused leads nowhere: its refusal is where the reader is led. */
  #use(event) {
    if (!this.refused) return;
    event.preventDefault();
    this.place.querySelector(`[aria-describedby="${this.beside.id}"]`)?.focus();
    announce(this.beside.textContent);
  }
}
