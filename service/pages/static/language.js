// Texts in the language of the page. English is in the sources and costs nothing; the module of another
// language (`languages/de.js`), which such a page loads first, hands its texts over.

let texts = {};
let formOf = (number) => Number(number !== 1);

/** Take over the texts of a language, and which of several forms fits a number. */
export function learn(own, form) {
  texts = own;
  formOf = form;
}

/** The code of the page's language. */
export const language = () => document.documentElement.lang || "en";

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));

/** A text in the page's language, with the values in the place of its `{name}`. */
export const gettext = (text, values = {}) => fill(texts[text] ?? text, values);

/** The text that fits a number, which stands in the place of `{num}`. */
export function ngettext(one, several, num, values = {}) {
  const forms = texts[one] ?? [one, several];
  return fill(forms[texts[one] ? formOf(num) : Number(num !== 1)], { num, ...values });
}
