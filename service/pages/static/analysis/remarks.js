// What is written beside an action of the tree: a glyph and a comment, which go with it wherever it is kept or copied.

/** The form beside the tree; `changed()` is told when something is written. */
export class Remarks {
  constructor(form, changed) {
    this.form = form;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", () => {
      const { nag, comment } = form.elements;
      const said = comment.value.replaceAll("}", ")").replaceAll(/\s+/g, " ").trim();
      Object.assign(this.node.action, { nags: nag.value ? [Number(nag.value)] : [], comments: said ? [said] : [] });
      changed();
    });
  }

  /** Show what stands beside an action; at the beginning of the tree there is none. */
  show(node) {
    this.node = node;
    this.form.hidden = !node.action;
    const { nag, comment } = this.form.elements;
    nag.value = node.action?.nags?.[0] ?? "";
    comment.value = (node.action?.comments ?? []).join(" ");
  }
}
