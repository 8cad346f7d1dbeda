// Making SVG elements.

const SVG = "http://www.w3.org/2000/svg";

/** An element with these attributes (those that are null are omitted) and children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A drawing from the sprite, centred at the origin. */
export const drawing = (symbol, span, look) =>
  element("use", { class: look, href: `#${symbol}`, x: -span / 2, y: -span / 2, width: span, height: span });

/** A group centred at a point of the picture; its `upright` parts stay upright when the board is turned. */
export const around = (x, y, ...children) => element("g", { transform: `translate(${x} ${y})` }, ...children);
