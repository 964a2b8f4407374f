const LINE_CHARS_MAX = 76;
const [TAB, LF, CR, SPACE, EQUALS, DOT, F] = [0x09, 0x0a, 0x0d, 0x20, 0x3d, 0x2e, 0x46];
const HEX = Buffer.from("0123456789ABCDEF");

/**
 * Encodes text with CRLF line ends as quoted-printable (RFC 2045 section 6.7). Also encodes a dot and the `F`
 * of `From ` at the start of a line, because relays and mbox files modify those, which would break the
 * signature.
 */
export function quotedPrintable(text: Buffer): Buffer {
  // Three bytes for each byte, and a soft break of three for every 72 of those.
  const out = Buffer.allocUnsafe(text.length * 3 + Math.ceil(text.length / 24) * 3 + 3);
  let length = 0;
  let column = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!;
    if (byte === CR && text[i + 1] === LF) {
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
      i++;
      continue;
    }
    const encode = mustEncode(text, i, byte, column);
    const width = encode ? 3 : 1;
    // Leaves room for the `=` of a soft break.
    if (column + width > LINE_CHARS_MAX - 1) {
      out[length++] = EQUALS;
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
      if (byte === DOT || byte === F) {
        i--;
        continue;
      }
    }
    if (encode) {
      out[length++] = EQUALS;
      out[length++] = HEX[byte >> 4]!;
      out[length++] = HEX[byte & 15]!;
    } else {
      out[length++] = byte;
    }
    column += width;
  }
  return out.subarray(0, length);
}

function mustEncode(text: Buffer, i: number, byte: number, column: number): boolean {
  if (byte === SPACE || byte === TAB) return i + 1 === text.length || text[i + 1] === CR;
  if (byte < SPACE || byte > 0x7e || byte === EQUALS) return true;
  return column === 0 && (byte === DOT || (byte === F && startsFrom(text, i)));
}

function startsFrom(text: Buffer, i: number): boolean {
  return text.toString("latin1", i, i + 5) === "From ";
}
