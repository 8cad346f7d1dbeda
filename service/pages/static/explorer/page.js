// The opening explorer: a board on which each action leads to the next position, with the actions played from it. Each
// step requests the page at the new address and replaces the live parts of the page shown.

import { mountBoard } from "../board/board.js";
import { repeatEarlyClicks } from "../board/early_clicks.js";
import { Bars } from "../game/bars.js";
import { Deeds } from "../game/deeds.js";
import { gettext } from "../language.js";
import { announce, show } from "../page.js";

const part = (id) => document.getElementById(id);
const told = () => JSON.parse(part("told").textContent);

class ExplorerPage {
  constructor(board, place) {
    this.board = board;
    this.place = place;
    this.below = place.dataset.below;
    /** The pages received, by address, so that the browser's back and forward buttons need no request. */
    this.pages = new Map([[location.search, document.documentElement.outerHTML]]);
    this.bars = new Bars(place, board);
    this.deeds = new Deeds(board, (action) => this.play(action.action));
    board.on("action", (action) => this.play(action.action));
    board.on("attempt", (text) => this.play(text));
    board.on("chosen", (origin) => (this.bars.press(origin), this.deeds.choose(origin)));
    board.on("say", announce);
    document.addEventListener("click", (event) => this.#clicked(event));
    document.addEventListener("keydown", (event) => this.#pressed(event));
    for (const kind of ["pointerover", "focusin"]) part("explored").parentElement.addEventListener(kind, (event) => this.#point(event));
    addEventListener("popstate", () => this.#look(location.search));
    this.depth = history.state?.depth ?? 0;
    history.replaceState({ depth: this.depth }, "");
    this.render();
    repeatEarlyClicks(place);
  }

  /** Show the position of the page's data. */
  render() {
    const { board, place, below } = this;
    const { position, legal } = told();
    Object.assign(place.dataset, { ply: this.depth, fen: position.fen, below });
    const playable = legal.map((one) => ({ ...one, lasting: false }));
    board.set({ position: { ...position, ply: this.depth }, legal: playable, orientation: below, shapes: [] });
    this.bars.show(position, position.to_act, position.to_act);
    this.deeds.show(playable);
    place.querySelector(".turn").textContent = position.turn;
  }

  /** Play an action in the position shown. */
  play(action) {
    const asked = new URLSearchParams(told().asked);
    for (const [name, value] of [["action", action], ["below", this.below]]) asked.set(name, value);
    return this.step(`?${asked}`);
  }

  /** Step to the position at an address. */
  async step(search) {
    if (!(await this.#look(search))) return;
    this.depth += 1;
    // After an action, the address becomes that of the position reached.
    const { asked } = told();
    const address = `?${new URLSearchParams({ ...asked, below: this.below })}`;
    this.pages.set(address, this.pages.get(search));
    history.pushState({ depth: this.depth }, "", address);
    this.render();
  }

  /** Show the page at an address; returns whether it is shown without a refusal. Without an answer nothing changes. */
  async #look(search) {
    this.wanted = search;
    const html = this.pages.get(search) ?? (await this.#ask(search));
    if (this.wanted !== search) return false;
    if (!html) {
      this.#refuse(gettext("No answer. Try again."));
      return false;
    }
    show(html);
    const refused = document.querySelector("#problem .problem");
    this.depth = history.state?.depth ?? 0;
    this.render();
    announce(refused?.textContent.trim() ?? told().position.said);
    return !refused;
  }

  async #ask(search) {
    const answer = await fetch(`/explorer${search}`, { headers: { Accept: "text/html" } }).catch(() => null);
    const html = await answer?.text().catch(() => null);
    if (answer?.ok) this.pages.set(search, html);
    return answer?.ok || answer?.status === 422 ? html : null;
  }

  #refuse(text) {
    part("problem").textContent = text;
    announce(text);
    this.render();
  }

  #clicked(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const tool = event.target.closest("#tools [data-go]")?.dataset.go;
    const row = event.target.closest("#explored tr");
    const link = event.target.closest("a") ?? row?.querySelector("a.step");
    if (tool === "flip") this.flip();
    else if (tool === "back" || tool === "on") this.#travel(tool);
    else if (tool || link?.classList.contains("step")) this.step(new URL(tool ? event.target.closest("a").href : link.href).search);
    else return;
    event.preventDefault();
  }

  #travel(where) {
    if (where === "on") history.forward();
    else if (this.depth > 0) history.back();
  }

  flip() {
    this.below = this.below === "first" ? "second" : "first";
    const address = new URL(location.href);
    address.searchParams.set("below", this.below);
    this.pages.set(address.search, this.pages.get(location.search));
    history.replaceState(history.state, "", address);
    this.render();
  }

  #pressed(event) {
    if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft") this.#travel("back");
    else if (event.key === "ArrowRight") this.#travel("on");
    else if (event.key === "f") this.flip();
    else return;
    event.preventDefault();
  }

  /** Draw on the board the action of the row under the pointer or with the focus. */
  #point(event) {
    const cells = event.target.closest("tr")?.dataset.cells?.split(" ").filter(Boolean) ?? [];
    const shapes = cells.length ? [{ from: cells[0], to: cells[1] }] : [];
    if (JSON.stringify(shapes) !== JSON.stringify(this.board.state.shapes)) this.board.set({ shapes });
  }
}

const place = document.querySelector("#board .position");
mountBoard(place.querySelector(".frame"), { variant: told().asked.variant, root: place })
  .then((board) => new ExplorerPage(board, place))
  .catch((error) => console.warn(`The page stays as it came: ${error.message}`));
