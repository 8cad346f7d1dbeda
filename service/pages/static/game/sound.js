// Short sounds, synthesised by the browser; they can be switched off, which the browser remembers.

const KEY = "movelog.sound";
const TONES = { move: [[420, 0, 0.05]], capture: [[300, 0, 0.05], [210, 0.05, 0.07]], end: [[440, 0, 0.12], [330, 0.14, 0.2]] };
const LOUDNESS = 0.12;

/** The sounds of a game, with the button that turns them on and off. */
export class Sound {
  constructor(button) {
    this.button = button;
    this.on = read() !== "off";
    this.#show();
    button.hidden = false;
    button.addEventListener("click", () => {
      this.on = !this.on;
      write(this.on ? "on" : "off");
      this.#show();
      this.play("move");
    });
    // A browser lets a page play sounds only after the reader has interacted with it.
    addEventListener("pointerdown", () => this.#wake(), { once: true });
    addEventListener("keydown", () => this.#wake(), { once: true });
  }

  #wake() {
    this.context ??= typeof AudioContext === "function" ? new AudioContext() : null;
  }

  #show() {
    this.button.setAttribute("aria-pressed", String(this.on));
  }

  /** Play a sound: "move", "capture" or "end". */
  play(kind) {
    if (!this.on || !this.context) return;
    for (const [pitch, after, length] of TONES[kind]) {
      const start = this.context.currentTime + after;
      const tone = new OscillatorNode(this.context, { type: "triangle", frequency: pitch });
      const fade = new GainNode(this.context, { gain: LOUDNESS });
      fade.gain.setValueAtTime(LOUDNESS, start);
      fade.gain.exponentialRampToValueAtTime(0.001, start + length);
      tone.connect(fade).connect(this.context.destination);
      tone.start(start);
      tone.stop(start + length);
    }
  }
}

// Without local storage, sounds are on at each visit.
function read() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function write(value) {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // The setting lasts until the page is left.
  }
}
