// The fields of a position string after the pieces, each with its controls and its refusal.

import { makePart } from "./parts.js";

/** A field: the text of its parts, joined as the service describes them. */
class Field {
  constructor({ name, label, pattern, between, none, parts }, board) {
    Object.assign(this, { name, between, none });
    this.pattern = new RegExp(`^${pattern}$`);
    this.parts = parts.map((one) => makePart(one, board));
    this.element = document.createElement("fieldset");
    this.element.dataset.field = name;
    this.element.hidden = !parts.length;
    const legend = document.createElement("legend");
    legend.textContent = label;
    this.refusal = document.createElement("p");
    Object.assign(this.refusal, { id: `refused-${name}`, className: "refusal", hidden: true });
    this.element.append(legend, ...this.parts.map((one) => one.element), this.refusal);
    for (const control of this.controls) control.setAttribute("aria-describedby", this.refusal.id);
  }

  get controls() {
    return this.parts.flatMap((one) => one.controls);
  }

  get text() {
    // A field of two cells means nothing until both are chosen.
    const whole = this.parts.every((one) => one.text || !one.isCell);
    return (whole && this.parts.map((one) => one.text).join(this.between)) || this.none;
  }

  set text(text) {
    const found = this.pattern.exec(text);
    if (found) for (const [at, part] of this.parts.entries()) part.text = found[at + 1] ?? "";
  }

  stand(standing) {
    for (const part of this.parts) part.stand?.(standing);
  }
}

/** All fields of a variant's position strings, in order; `changed()` is called when the reader changes one. */
export class Fields {
  constructor(place, board, described, changed) {
    this.fields = described.map((one) => new Field(one, board));
    place.replaceChildren(...this.fields.map((one) => one.element));
    place.addEventListener("input", changed);
  }

  /** The texts of the fields, as the position string has them. */
  get texts() {
    return this.fields.map((one) => one.text);
  }

  set texts(texts) {
    for (const [at, field] of this.fields.entries()) field.text = texts[at];
  }

  /** The pieces have changed: offer only what they allow. */
  stand(standing) {
    for (const field of this.fields) field.stand(standing);
  }

  /** The element for a field's refusal; null for a field without controls. */
  refusalOf(name) {
    const field = this.fields.find((one) => one.name === name);
    return field?.parts.length ? field.refusal : null;
  }
}
