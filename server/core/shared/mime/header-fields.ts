/** A header field's position in a message. */
export type HeaderField = {
  /** In lowercase. */
  name: string;
  /** Offsets of its first octet and after its last line break. */
  start: number;
  end: number;
};

const [LF, CR, SPACE, TAB, COLON] = [0x0a, 0x0d, 0x20, 0x09, 0x3a];
/** RFC 5322, 2.1.1. */
const LINE_OCTETS_MAX = 1_000;
/** Longer than any real field name. */
const NAME_OCTETS_MAX = 256;

/**
 * Lists a message's header fields in order, unfolded (RFC 5322, 2.2). A malformed line belongs to the field
 * above it, as mail readers do.
 */
export function headerFields(message: Buffer): HeaderField[] {
  const fields: HeaderField[] = [];
  const end = headerEnd(message);
  for (let at = 0; at < end;) {
    const lf = message.indexOf(LF, at);
    const next = lf === -1 || lf >= end ? end : lf + 1;
    const name = isFolded(message[at]!) ? null : readName(message, at, next);
    const last = fields.at(-1);
    if (name !== null) fields.push({ name, start: at, end: next });
    else if (last) last.end = next;
    at = next;
  }
  return fields;
}

/** The offset of the empty line that ends the header, or the message's length if there is none. */
export function headerEnd(message: Buffer): number {
  if (message[0] === CR && message[1] === LF) return 0;
  const end = message.indexOf("\r\n\r\n");
  return end === -1 ? message.length : end + 2;
}

/** A line of the mbox format, as programs leave it on top of the header: `From ann@example.com Sat Nov 28 …`. */
const MBOX_LINE = /^>*From (?![ \t]*:)[^\r\n]*\r\n/;

/** Removes a line of the mbox format from the top of a message, as other servers do. */
export function withoutMboxLine(message: Buffer): Buffer {
  const [line = ""] = MBOX_LINE.exec(message.toString("latin1", 0, LINE_OCTETS_MAX)) ?? [];
  return line === "" ? message : message.subarray(line.length);
}

/** A field's unfolded value in latin1, which preserves every byte. */
export function fieldValue(message: Buffer, { start, end }: HeaderField): string {
  const text = message.toString("latin1", start, end);
  return trimmed(text.slice(text.indexOf(":") + 1).replace(/\r?\n(?=[ \t])/g, ""));
}

/** Not `trim`, which also removes A0, the last octet of `à` in UTF-8. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isSpace = (code: number) => code === SPACE || code === TAB || code === CR || code === LF;

/** Returns the message without the given fields, which must be in message order. */
export function withoutFields(message: Buffer, fields: HeaderField[]): Buffer {
  return fields.length === 0 ? message : Buffer.concat(piecesWithout(message, fields));
}

/** What remains of the message without the given fields, which must be in message order. */
export function piecesWithout(message: Buffer, fields: HeaderField[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end } of fields) {
    pieces.push(message.subarray(at, start));
    at = end;
  }
  return [...pieces, message.subarray(at)];
}

const isFolded = (octet: number) => octet === SPACE || octet === TAB;

/** `Name :` is read as `Name:`, as old servers wrote it (RFC 5322, 4.5). */
function readName(message: Buffer, start: number, end: number): string | null {
  const last = Math.min(end, start + NAME_OCTETS_MAX + 1);
  let colon = start;
  while (colon < last && message[colon] !== COLON) colon++;
  if (colon === start || colon === last) return null;
  const name = message.toString("latin1", start, colon).trimEnd().toLowerCase();
  return /^[\x21-\x7e]+$/.test(name) ? name : null;
}
