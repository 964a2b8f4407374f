import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";

/** Bytes hashed before yielding to the event loop: a few milliseconds of work. */
const SLICE_BYTES = 1_048_576;
const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/** SHA-256 in base64 of a body in relaxed canonical form (RFC 6376 section 3.4.4), whatever its size. */
export async function relaxedBodyHash(body: Buffer): Promise<string> {
  const hash = createHash("sha256");
  const canonical = new RelaxedBody();
  let start = 0;
  while (start < body.length) {
    if (start > 0) await setImmediate();
    let end = Math.min(start + SLICE_BYTES, body.length);
    if (body[end - 1] === CR && end < body.length) end++;
    hash.update(canonical.next(body.subarray(start, end)));
    start = end;
  }
  return hash.update(canonical.end()).digest("base64");
}

/** Canonicalizes a body slice by slice; a slice never ends between CR and LF. */
class RelaxedBody {
  #lineEnds = 0;
  #hasSpace = false;
  #hasContent = false;

  /**
   * Returns the canonical bytes so far. Line ends are withheld, since those at the end of the body are
   * dropped.
   */
  next(slice: Buffer): Buffer {
    const out = Buffer.allocUnsafe(slice.length + this.#lineEnds * 2 + 1);
    let length = 0;
    let lineEnds = this.#lineEnds;
    let hasSpace = this.#hasSpace;
    for (let i = 0; i < slice.length; i++) {
      const byte = slice[i]!;
      if (byte === SPACE || byte === TAB) {
        hasSpace = true;
      } else if (byte === CR && slice[i + 1] === LF) {
        hasSpace = false;
        lineEnds++;
        i++;
      } else {
        for (; lineEnds > 0; lineEnds--) {
          out[length++] = CR;
          out[length++] = LF;
        }
        if (hasSpace) out[length++] = SPACE;
        hasSpace = false;
        out[length++] = byte;
      }
    }
    this.#lineEnds = lineEnds;
    this.#hasSpace = hasSpace;
    this.#hasContent ||= length > 0;
    return out.subarray(0, length);
  }

  end(): Buffer {
    return this.#hasContent ? Buffer.from("\r\n") : Buffer.alloc(0);
  }
}
