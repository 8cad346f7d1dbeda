// The controls of a position's fields; each writes a part of its field's text. `service/boards/fields.py` defines the
// kinds and what each writes; nothing here knows a game.

/** @typedef {{kind: string, label: string, options: {value: string, label: string, on: Object<string, string>}[],
 *   letters: string, least: number, none: string}} Described a part as the service describes it */

const made = (name, properties = {}) => Object.assign(document.createElement(name), properties);

let controls = 0;

/** A control with its label. */
function labelled(text, control) {
  control.id = `control-${++controls}`;
  const place = made("span", { className: "labelled" });
  place.append(made("label", { htmlFor: control.id, textContent: text }), control);
  return place;
}

/** One option out of several. */
class Choice {
  constructor({ label, options }) {
    this.control = made("select");
    this.control.append(...options.map((one) => new Option(one.label, one.value)));
    this.element = labelled(label, this.control);
    this.controls = [this.control];
  }

  get text() {
    return this.control.value;
  }

  set text(text) {
    this.control.value = text;
  }
}

/** A whole number. */
class Count {
  constructor({ label, least }) {
    this.control = made("input", { type: "number", min: least, step: 1, inputMode: "numeric" });
    this.element = labelled(label, this.control);
    this.controls = [this.control];
  }

  get text() {
    return this.control.value;
  }

  set text(text) {
    this.control.value = text;
  }
}

/** A group of controls of one part. */
function group(label, ...elements) {
  const place = made("div", { className: "group", role: "group" });
  place.setAttribute("aria-label", label);
  place.append(...elements);
  return place;
}

/** Any number of options, each with the pieces that it requires and where they must stand. */
class Several {
  constructor({ label, options, none }, board) {
    this.none = none;
    this.boxes = options.map((one) => {
      const control = made("input", { type: "checkbox", value: one.value });
      return { ...one, control, element: labelled(one.label || nameOf(board, one.on), control) };
    });
    this.element = group(label, ...this.boxes.map((one) => one.element));
    this.controls = this.boxes.map((one) => one.control);
  }

  /** Hide and clear options that the pieces do not allow. */
  stand(standing) {
    for (const { on, control, element } of this.boxes) {
      element.hidden = Object.entries(on).some(([cell, letter]) => standing.get(cell) !== letter);
      if (element.hidden) control.checked = false;
    }
  }

  get text() {
    const chosen = this.boxes.filter((one) => one.control.checked).map((one) => one.value);
    return chosen.join("") || this.none;
  }

  set text(text) {
    const values = this.boxes.map((one) => one.value).sort((one, other) => other.length - one.length);
    const found = text.match(new RegExp(values.map(RegExp.escape ?? escaped).join("|"), "g")) ?? [];
    for (const { control, value } of this.boxes) control.checked = found.includes(value);
  }
}

const escaped = (text) => text.replace(/[^\w]/g, "\\$&");

/** The pieces that an option requires, in words. */
const nameOf = (board, on) =>
  Object.entries(on).map(([cell, letter]) => `${cell}, ${board.geometry.figure(letter, cell).text}`).join("; ");

/** A number for each kind of piece. */
class Counts {
  constructor({ label, letters, none }, board) {
    this.none = none;
    this.numbers = [...letters].map((letter) => {
      const control = made("input", { type: "number", min: 0, max: 99, step: 1, inputMode: "numeric" });
      return { letter, control, element: labelled(board.geometry.figure(letter, null).text, control) };
    });
    this.element = group(label, ...this.numbers.map((one) => one.element));
    this.controls = this.numbers.map((one) => one.control);
  }

  get text() {
    const written = this.numbers.map(({ letter, control }) => (Number(control.value) ? letter + (control.value > 1 ? control.value : "") : ""));
    return written.join("") || this.none;
  }

  set text(text) {
    const found = new Map([...text.matchAll(/([a-z])(\d*)/gi)].map(([, letter, count]) => [letter, count || "1"]));
    for (const { letter, control } of this.numbers) control.value = found.get(letter) ?? 0;
  }
}

/** A cell with one of certain pieces on it, or one of the options instead. */
class Cell {
  isCell = true;

  constructor({ label, options, letters }, board) {
    this.board = board;
    this.options = options;
    this.letters = letters;
    this.control = made("select");
    this.element = labelled(label, this.control);
    this.controls = [this.control];
    this.stand(new Map());
  }

  /** Offer the cells with such a piece. If the chosen cell is no longer among them, the choice is reset. */
  stand(standing) {
    const { geometry } = this.board;
    const cells = geometry.rows.flat().filter((cell) => this.letters.includes(standing.get(cell) ?? " "));
    const name = (cell) => (standing.has(cell) ? `${cell}, ${geometry.figure(standing.get(cell), cell).text}` : cell);
    const chosen = this.control.value;
    this.control.replaceChildren(
      ...this.options.map((one) => new Option(one.label, one.value)),
      ...cells.map((cell) => new Option(name(cell), cell)),
    );
    this.text = chosen;
  }

  get text() {
    return this.control.value;
  }

  set text(text) {
    this.control.value = text;
    if (this.control.selectedIndex < 0) this.control.selectedIndex = 0;
  }
}

const KINDS = { choice: Choice, number: Count, several: Several, counts: Counts, cell: Cell };

/** The control of a part described by the service, with its `text`, `element` and `controls`. */
export const makePart = (described, board) => new KINDS[described.kind](described, board);
