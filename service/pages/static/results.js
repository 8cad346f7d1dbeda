// Results typed board by board: a sign is enough, and leads to the next board.

const SIGNS = "10=+-x";

/** The fields of first results, in the order of the boards: those of corrections are elsewhere. */
const fields = (form) => [...form.querySelectorAll("[data-result]")].filter((field) => !field.closest("details"));

function typed(event) {
  const field = event.target;
  if (!field.matches?.("[data-result]")) return;
  const sign = field.value.trim().slice(-1).toLowerCase();
  if (!SIGNS.includes(sign) || !sign) return;
  field.value = sign;
  const list = fields(field.form);
  const at = list.indexOf(field);
  if (at < 0) return;
  const next = list[at + 1] ?? field.form.querySelector("button");
  next.focus();
  next.select?.();
}

function moved(event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || !event.target.matches?.("[data-result]")) return;
  const list = fields(event.target.form);
  const next = list[list.indexOf(event.target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.select();
}

document.addEventListener("input", typed);
document.addEventListener("keydown", moved);
