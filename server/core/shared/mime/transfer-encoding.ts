import { findField, type Part } from "./edit-parts.ts";

/** The decoded octets of a part; null for an unknown transfer encoding (RFC 2045, 6). */
export function decodedBody(part: Part): Buffer | null {
  switch (transferEncoding(part)) {
    case "":
    case "7bit":
    case "8bit":
    case "binary":
      return part.body;
    case "base64":
      return Buffer.from(part.body.toString("latin1"), "base64");
    case "quoted-printable":
      return fromQuotedPrintable(part.body.toString("latin1"));
    default:
      return null;
  }
}

/** In lower case; "" if missing. */
const transferEncoding = (part: Part): string =>
  findField(part, "content-transfer-encoding")
    .split(/[\s;(]/, 1)[0]!
    .toLowerCase();

function fromQuotedPrintable(text: string): Buffer {
  const lines = text.split("\r\n").map(withoutPadding);
  const joined = lines
    .map((line, at) =>
      line.endsWith("=") ? line.slice(0, -1) : at < lines.length - 1 ? `${line}\r\n` : line,
    )
    .join("");
  return Buffer.from(
    joined.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  );
}

/** Trailing spaces on a line were added by a relay (RFC 2045, 6.7). */
function withoutPadding(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  return line.slice(0, end);
}
