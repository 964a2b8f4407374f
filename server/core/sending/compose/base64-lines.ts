import { setImmediate } from "node:timers/promises";

/** Lines of 76 characters (RFC 2045 section 6.8). */
const LINE_BYTES = 57;
const LINE_CHARS = 76;
/** How much is done before other work of the process has its turn: whole lines, some milliseconds. */
const SLICE_BYTES = LINE_BYTES * 16_384;

/** The octets of a file in base64, CRLF between the lines, whatever its size. */
export async function base64Lines(bytes: Buffer): Promise<Buffer> {
  const lines = Math.ceil(bytes.length / LINE_BYTES);
  const out = Buffer.allocUnsafe(
    Math.ceil(bytes.length / 3) * 4 + Math.max(lines - 1, 0) * "\r\n".length,
  );
  let length = 0;
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    if (start > 0) await setImmediate();
    const slice = Buffer.from(bytes.toString("base64", start, start + SLICE_BYTES), "latin1");
    for (let at = 0; at < slice.length; at += LINE_CHARS) {
      if (length > 0) length += out.write("\r\n", length, "latin1");
      length += slice.copy(out, length, at, at + LINE_CHARS);
    }
  }
  return out;
}
