// Texts in the language of the page. English is in the sources; a page in another language first loads that
// language's module (`languages/de.js`), which registers its texts here.

let texts = {};
let formOf = (number) => Number(number !== 1);

/** Register the texts of a language, and its function from a number to a plural form. */
export function learn(own, form) {
  texts = own;
  formOf = form;
}

/** The code of the page's language. */
export const language = () => document.documentElement.lang || "en";

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));

/** A text in the page's language, with each `{name}` replaced by its value. */
export const gettext = (text, values = {}) => fill(texts[text] ?? text, values);

/** The form of a text for a number, which replaces `{num}`. */
export function ngettext(one, several, num, values = {}) {
  const forms = texts[one] ?? [one, several];
  return fill(forms[texts[one] ? formOf(num) : Number(num !== 1)], { num, ...values });
}
