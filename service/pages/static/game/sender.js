// Sends actions, whether they were clicked, dragged or typed.

import { csrf, freshKey } from "../page.js";
import { refusalIn } from "../refusal.js";

const PATIENCE = 15_000;

/** Sends the actions of one game, one at a time. */
export class Sender {
  constructor(id) {
    this.path = `/games/${id}/actions?answer=part`;
    this.text = null;
    this.busy = false;
  }

  /**
   * Send an action, in any notation, at the version of the game shown. If it got no answer, sending it again at the same
   * version repeats the same request. Resolves to `{answered, refused}`: whether an answer came, and the element with the words of a
   * refusal, or null.
   */
  async send(text, version) {
    // If the game has gone on, the request that got no answer can no longer be carried out.
    if (text !== this.text || version !== this.version) Object.assign(this, { text, version, key: freshKey() });
    this.busy = true;
    const body = new URLSearchParams({ csrf: csrf(), key: this.key, expected_version: version, action: text });
    try {
      const answer = await fetch(this.path, { method: "POST", headers: { Accept: "text/html" }, body, signal: AbortSignal.timeout(PATIENCE) });
      this.text = null;
      return { answered: true, refused: answer.status === 204 ? null : refusalIn(await answer.text(), answer.status) };
    } catch {
      return { answered: false, refused: null };
    } finally {
      this.busy = false;
    }
  }
}
