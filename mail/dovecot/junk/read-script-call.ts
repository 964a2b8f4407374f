const VERSION = "VERSION\tscript\t";
const LINE_END = 0x0a;
/** Version, whether it waits for an answer, and an empty line after the arguments. */
const LINES_MAX = 64;

/**
 * What Dovecot's program client hands to a script's socket (protocol `script`, version 4): lines that say
 * which call it is, an empty one, then the message.
 *
 * @returns the message; null for what is no such call or has no message
 */
export function readScriptCall(bytes: Buffer): Buffer | null {
  if (!bytes.subarray(0, VERSION.length).equals(Buffer.from(VERSION))) return null;
  let start = 0;
  for (let line = 0; line < LINES_MAX; line++) {
    const end = bytes.indexOf(LINE_END, start);
    if (end === -1) return null;
    if (end === start) return end + 1 < bytes.length ? bytes.subarray(end + 1) : null;
    start = end + 1;
  }
  return null;
}
