// Stepping through a game by buttons, keys, the list of actions and the slider, without reloading the page.

import { gettext } from "../language.js";
import { mark } from "./moves.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "flip" };

/** The replay tools of the page. */
export class Replay {
  /** `look(ply)` shows a position, `flip()` turns the board; `state` is the page's, `aside` its `Sideline`. */
  constructor(state, { look, flip, aside }) {
    this.state = state;
    this.look = look;
    this.flip = flip;
    this.aside = aside;
    this.slider = document.getElementById("slider");
    document.getElementById("replay").addEventListener("click", (event) => {
      const tool = event.target.closest("[data-go]");
      if (tool) this.#act(event, () => this.go(tool.dataset.go));
    });
    document.addEventListener("click", (event) => {
      const chosen = event.target.closest("#moves [data-ply]");
      if (chosen) this.#act(event, () => this.look(Number(chosen.dataset.ply)));
    });
    this.slider.addEventListener("input", () => this.look(Number(this.slider.value)));
    document.addEventListener("keydown", (event) => this.#pressed(event));
    // Another width moves the actions in the list. (Changes of height are ignored: scrolling causes them on phones.)
    let width = innerWidth;
    addEventListener("resize", () => {
      if (width === innerWidth) return;
      width = innerWidth;
      mark(this.at);
    });
    addEventListener("load", () => mark(this.at));
  }

  get at() {
    return this.state.looking ?? this.state.newest.ply;
  }

  #pressed(event) {
    const field = event.target.closest("input, select, textarea, dialog");
    // The slider uses the arrow keys itself.
    const typing = field && !(field.id === "slider" && event.key === "f");
    if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && KEYS[event.key]) {
      this.#act(event, () => this.go(KEYS[event.key]));
    }
  }

  #act(event, what) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    what();
  }

  go(where) {
    if (where === "flip") return this.flip();
    if (this.aside.open) return this.aside.go(where);
    const last = this.state.newest.ply;
    this.look({ first: 0, back: Math.max(0, this.at - 1), on: Math.min(last, this.at + 1), last }[where]);
  }

  /** Show the reader's place in the slider and the list, and point the links at the positions next to it. */
  mark(position, below) {
    const last = this.state.newest.ply;
    this.slider.max = last;
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", gettext("after action {ply} of {last}", { ply: this.at, last }));
    mark(this.at);
    const lead = (link, asked) => link && (link.search = new URLSearchParams(asked));
    const tool = (where) => document.querySelector(`#replay [data-go="${where}"]`);
    lead(tool("back"), { ply: Math.max(0, this.at - 1) });
    lead(tool("on"), { ply: Math.min(last, this.at + 1) });
    lead(tool("flip"), { ply: this.at, below: below === "first" ? "second" : "first" });
    lead(document.getElementById("picture"), { ply: this.at });
    const whole = document.querySelector('#whole input[name="ply"]');
    if (whole) whole.value = this.at;
    const analyse = document.getElementById("analyse");
    lead(analyse, { variant: analyse?.dataset.variant, fen: position.fen });
    const fen = document.getElementById("fen");
    if (fen) fen.textContent = position.fen;
  }
}
