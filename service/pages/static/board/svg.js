// Making elements of SVG.

const SVG = "http://www.w3.org/2000/svg";

/** An element with these attributes (null leaves one out) and children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A drawing of the sprite around the origin. */
export const drawing = (symbol, span, look) =>
  element("use", { class: look, href: `#${symbol}`, x: -span / 2, y: -span / 2, width: span, height: span });

/** A group around a point of the picture; what is `upright` in it stays so when the board is turned. */
export const around = (x, y, ...children) => element("g", { transform: `translate(${x} ${y})` }, ...children);
