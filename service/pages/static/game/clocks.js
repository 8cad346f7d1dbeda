// Both clocks, ticking.

import { ngettext } from "../language.js";

const LOW = 20_000;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** The text of a clock, in whole seconds, written as the service writes it. */
export function write(milliseconds) {
  const all = Math.floor(Math.max(0, milliseconds) / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const [days, hours, minutes, seconds] = [Math.floor(all / DAY), Math.floor((all % DAY) / HOUR), Math.floor((all % HOUR) / 60), all % 60];
  const shown = hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  return days ? `${ngettext("{num} day", "{num} days", days)} ${shown}` : shown;
}

/** By how many milliseconds the service's clock is ahead of the browser's, when a message with the service's time `now` has just come. */
export const measureAhead = (now) => (now ? Date.parse(now) - Date.now() : 0);

/** The clocks beside the board: the elements with `data-clock="first"` and `"second"`. */
export class Clocks {
  /** `within` contains the elements. */
  constructor(within) {
    this.within = within;
    this.ahead = 0;
  }

  /** Show the service's clocks, or none if null; `live` lets the running one tick; `ahead` is by how much the service's time is ahead. */
  show(clocks, live, ahead) {
    clearTimeout(this.timer);
    this.clocks = clocks;
    this.running = live ? clocks?.running : null;
    this.ahead = ahead;
    this.#tick();
  }

  /** The milliseconds until the running flag falls, more than a clock with a delay shows while it stands. */
  get #toFall() {
    return Date.parse(this.clocks.falls_at) - Date.now() - this.ahead;
  }

  #left(side) {
    const left = this.clocks[`${side}_ms`];
    return side === this.running ? Math.min(left, this.#toFall) : left;
  }

  #tick() {
    // A list that was replaced has clocks of its own.
    if (!this.within.isConnected) return;
    let next = 1000;
    for (const clock of this.within.querySelectorAll("[data-clock]")) {
      const side = clock.dataset.clock;
      const left = this.clocks && this.clocks[`${side}_ms`] !== null ? this.#left(side) : null;
      clock.hidden = left === null;
      if (left === null) continue;
      clock.textContent = write(left);
      clock.classList.toggle("running", side === this.running);
      clock.classList.toggle("low", left < LOW && side === this.running);
      if (side === this.running) next = left > 0 ? ((left % 1000) + 5) + Math.max(0, this.#toFall - left) : 1000;
    }
    if (this.clocks && this.running) this.timer = setTimeout(() => this.#tick(), next);
  }
}
