const VERSION = "VERSION\tscript\t";
const LINE_END = 0x0a;
/** Version, flags, arguments and the empty line. */
const LINES_MAX = 64;

/**
 * Parses what Dovecot's program client sends to a script's socket (protocol `script`, version 4): header lines, an
 * empty line, the message.
 *
 * @returns the message; null if the input is malformed or has no message
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
