// Copying to the clipboard.

import { gettext } from "./language.js";
import { announce } from "./page.js";

/** Copy the text of a field, which is selected; resolves to whether it was copied. The reader is told either way. */
export async function copyField(field) {
  field.select();
  const copied = await write(field.value);
  announce(copied ? gettext("Copied.") : gettext("Press Ctrl and C to copy."));
  return copied;
}

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without TLS there is no clipboard API, but the selection can still be copied.
    return document.execCommand("copy");
  }
}
