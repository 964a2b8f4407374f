import { isAscii, isUtf8 } from "node:buffer";

import iconv from "iconv-lite";

/** Labels that neither iconv-lite nor the Encoding Standard knows by this name. */
const ALIASES = new Map(
  Object.entries({
    "utf-8": "utf utf8mb4 x-utf8 windows-65001 cp65001",
    "utf-7": "unicode-1-1-utf-7 x-unicode-2-0-utf-7",
    "iso-2022-jp":
      "iso-2022-jp-1 iso-2022-jp-2 iso-2022-jp-3 iso-2022-jp-2004 iso-2022-jp-ms jis cp50220 cp50221",
    cp932: "x-ms-cp932 x-ibm-943 ibm-943",
    cp949: "uhc x-windows-949",
    maccyrillic: "x-mac-cyrillic",
    maccenteuro: "x-mac-ce x-mac-centraleurroman",
  }).flatMap(([name, labels]) => labels.split(" ").map((label) => [label, name])),
);

/** Labels that say nothing about bytes beyond ASCII, and names of iconv-lite that aren't charsets. */
const MEANINGLESS =
  /^(?:(?:us-?|x-)?ascii|ansi_x3\.4-19\d\d|iso-?ir-6|iso_?646.*|us|646|cp367|ibm367|[78]bit|(?:x-)?unknown(?:-8bit)?|unknown-.*|default|default_charset|none|null|undefined|x-user-defined|replacement|binary|base64|hex|internal|)$/;

/**
 * Decodes text in the charset of its label. Without a label that says how to decode it, detects ISO-2022-JP by its
 * escape sequences and UTF-8, and else reads `fallback`, or windows-1252. Never throws.
 *
 * @param fallback finds a label that is less reliable, such as that in HTML
 */
export function decodeText(
  bytes: Buffer,
  label: string | null,
  fallback?: () => string | null,
): string {
  const text = label === null ? null : decodeLabeled(bytes, label);
  // In UTF-8, but without one valid character beyond ASCII: the label is wrong.
  const isWrong = text !== null && /^[^\u0080-\ufffc]*\ufffd[^\u0080-\ufffc]*$/.test(text);
  return text === null || isWrong ? decodeUnlabeled(bytes, fallback) : text;
}

/** Decodes text, with U+FFFD for what isn't valid; null if the label is unknown or says nothing. */
export function decodeLabeled(bytes: Buffer, label: string): string | null {
  const charset = canonicalCharset(label);
  return charset === null ? null : decode(bytes, charset);
}

/** RFC 1468, and the half-width katakana that many programs add. */
const JIS_ESCAPE = /\x1b(?:\$[@B]|\([JI])/;

function decodeUnlabeled(bytes: Buffer, fallback?: () => string | null): string {
  if (isAscii(bytes)) {
    const text = bytes.toString("latin1");
    return JIS_ESCAPE.test(text) ? decode(bytes, "iso-2022-jp") : text;
  }
  if (isUtf8(bytes)) return decode(bytes, "utf-8");
  const given = fallback?.() ?? null;
  const charset = given === null ? null : canonicalCharset(given);
  return decode(bytes, charset === null || charset === "utf-8" ? "windows-1252" : charset);
}

function decode(bytes: Buffer, charset: string): string {
  if (charset === "utf-8") return new TextDecoder(charset).decode(bytes);
  // The only charset of mail that iconv-lite doesn't know.
  if (charset === "iso-2022-jp") return new TextDecoder(charset).decode(withoutEmptyShifts(bytes));
  return iconv.decode(bytes, charset);
}

/** Text joined from several pieces has escape sequences in a row, which a decoder counts as errors. */
const withoutEmptyShifts = (bytes: Buffer) =>
  Buffer.from(bytes.toString("latin1").replace(/\x1b[$(][@BIJ](?=\x1b[$(][@BIJ])/g, ""), "latin1");

/** The charset's name for `decode`; null if the label is unknown or meaningless. */
function canonicalCharset(label: string): string | null {
  const name = label
    .slice(0, LABEL_MAX)
    .toLowerCase()
    .replace(/^\s*(?:charset\s*=)?[\s"'<(]*|[\s"'>);,]+$/g, "");
  if (MEANINGLESS.test(name)) return null;
  const named =
    ALIASES.get(name) ?? name.replace(/^(?:x-)?win(?:dows)?[-_]?(?=\d{3,4}$)/, "windows-");
  return named === "iso-2022-jp"
    ? named
    : (standardCharset(named) ??
        supportedCharset(named) ??
        supportedCharset(named.replace(/^x-/, "")));
}

const LABEL_MAX = 60;

/** The Encoding Standard's reading of a label: `iso-8859-1` is windows-1252 and `gb2312` is gbk in all mail. */
function standardCharset(label: string): string | null {
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === "iso-2022-jp"
      ? encoding
      : supportedCharset(ALIASES.get(encoding) ?? encoding);
  } catch {
    return null;
  }
}

const supportedCharset = (name: string) =>
  name !== "" && iconv.encodingExists(name) ? name : null;
