// Results typed board by board: one sign is enough and moves on to the next board. A correction needs a reason.

const SIGNS = "10=+-x";

/** The fields for new results, in the order of the boards, without those for corrections. */
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

/** A correction requires a reason once its result has changed. */
function corrected(event) {
  const correction = event.target.closest?.("details.correct");
  if (!correction) return;
  const was = correction.querySelector('[name^="was."]').value;
  const reason = correction.querySelector('[name^="reason."]');
  reason.required = correction.querySelector("[data-result]").value.trim() !== was;
}

/** Open the correction, since a browser cannot ask for a field that is folded away. */
function refused(event) {
  const correction = event.target.closest?.("details.correct");
  if (correction) correction.open = true;
}

document.addEventListener("input", typed);
document.addEventListener("input", corrected);
document.addEventListener("invalid", refused, true);
document.addEventListener("keydown", moved);
