// The page's title and icon show in the browser's tab when it is the reader's turn.

import { gettext } from "../language.js";

const MARK = `● ${gettext("Your turn")} – `;
const icon = () => document.querySelector('link[rel="icon"]');
const own = { icon: icon().getAttribute("href") };

/** Show in title and icon whether it is the reader's turn. */
export function notice(turn) {
  const title = document.title.replace(MARK, "");
  document.title = turn ? MARK + title : title;
  const wanted = turn ? document.getElementById("game").dataset.turnIcon : own.icon;
  if (icon().getAttribute("href") !== wanted) icon().setAttribute("href", wanted);
}
