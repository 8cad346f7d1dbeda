// Annotations of an action in the tree: a glyph and a comment, which stay with it when it is kept or copied.

/** The form beside the tree; `changed()` is called after each change. */
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

  /** Show the annotation of an action; the root has no action, so the form is hidden there. */
  show(node) {
    this.node = node;
    this.form.hidden = !node.action;
    const { nag, comment } = this.form.elements;
    nag.value = node.action?.nags?.[0] ?? "";
    comment.value = (node.action?.comments ?? []).join(" ");
  }
}
