import {
  fieldValue,
  headerEnd,
  headerFields,
  withoutFields,
} from "#server/core/incoming/header-fields.ts";

/** An entity of a MIME message: the message itself, or a part of a multipart (RFC 2045, 2.4). */
export type Part = {
  /** The header fields, each with its CRLF. */
  header: Buffer;
  /** What follows the empty line. */
  body: Buffer;
};

/** Deeper nesting is left as it is: no mail program writes it. */
const DEPTH_MAX = 20;
/** Changing an octet of these would break the signature or the encryption (RFC 1847). */
const SEALED = /^multipart\/(?:signed|encrypted)$/;
const CRLF = Buffer.from("\r\n");

/**
 * Edits the parts of a message in place: those of a multipart before the multipart itself, which is
 * given with its edited body. Enclosed messages count as one part, and signed or encrypted multiparts
 * are skipped. Everything that `edit` returns unchanged keeps its octets.
 *
 * @param edit the part as it should be; the same object to leave it alone
 */
export function editParts(message: Buffer, edit: (part: Part) => Part, depth = 0): Buffer {
  const part = readPart(message);
  const type = mediaType(part);
  if (SEALED.test(type) || depth > DEPTH_MAX) return message;
  const boundary = type.startsWith("multipart/") ? parameter(part, "boundary") : null;
  const body = boundary
    ? editBetween(part.body, boundary, (inner) => editParts(inner, edit, depth + 1))
    : part.body;
  const whole = body === part.body ? part : { ...part, body };
  const edited = edit(whole);
  return edited === part ? message : Buffer.concat([edited.header, CRLF, edited.body]);
}

function readPart(message: Buffer): Part {
  const end = headerEnd(message);
  return { header: message.subarray(0, end), body: message.subarray(end + CRLF.length) };
}

/** `type/subtype` in lower case; `text/plain` where nothing readable is said (RFC 2045, 5.2). */
export function mediaType(part: Part): string {
  const [, type] = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/.exec(fieldOf(part, "content-type")) ?? [];
  return type?.toLowerCase() ?? "text/plain";
}

/** A parameter of the Content-Type, by its name in lower case; null without one. */
export function parameter(part: Part, name: string): string | null {
  for (const [, key, quoted, plain] of fieldOf(part, "content-type").matchAll(PARAMETER))
    if (key!.toLowerCase() === name) return plain ?? quoted!.replace(/\\(.)/g, "$1");
  return null;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;

/** The value of the first field of a name, in latin1 and on one line; "" without one. */
export function fieldOf({ header }: Part, name: string): string {
  const field = headerFields(header).find((one) => one.name === name);
  return field ? fieldValue(header, field) : "";
}

/** The header with its fields of these names replaced; fields it didn't have are added at the end. */
export function withFields(header: Buffer, fields: Record<string, string>): Buffer {
  const names = Object.keys(fields).map((name) => name.toLowerCase());
  const replaced = headerFields(header).filter(({ name }) => names.includes(name));
  const added = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([withoutFields(header, replaced), Buffer.from(added.join(""), "latin1")]);
}

/** Edits what stands between the delimiter lines of a multipart (RFC 2046, 5.1.1). */
function editBetween(body: Buffer, boundary: string, edit: (inner: Buffer) => Buffer): Buffer {
  const pieces: Buffer[] = [];
  let kept = 0;
  let isChanged = false;
  for (const [start, end] of rangesBetween(body, boundary)) {
    const inner = body.subarray(start, end);
    const edited = edit(inner);
    if (edited === inner) continue;
    isChanged = true;
    pieces.push(body.subarray(kept, start), edited);
    kept = end;
  }
  return isChanged ? Buffer.concat([...pieces, body.subarray(kept)]) : body;
}

function rangesBetween(body: Buffer, boundary: string): [start: number, end: number][] {
  const ranges: [number, number][] = [];
  let start = -1;
  for (const line of delimiters(body, Buffer.from(`--${boundary}`, "latin1"))) {
    if (start !== -1) ranges.push([start, Math.max(start, line.at - CRLF.length)]);
    start = line.next;
    if (line.isLast) return ranges;
  }
  // Without its last delimiter, the last part goes to the end.
  if (start !== -1) ranges.push([start, body.length]);
  return ranges;
}

type Delimiter = { at: number; next: number; isLast: boolean };

function* delimiters(body: Buffer, dashed: Buffer): Generator<Delimiter> {
  for (let at = body.indexOf(dashed); at !== -1; at = body.indexOf(dashed, at + 1)) {
    if (at > 0 && body[at - 1] !== 0x0a) continue;
    const lf = body.indexOf("\n", at);
    const next = lf === -1 ? body.length : lf + 1;
    const rest = body.toString("latin1", at + dashed.length, next).trim();
    // `--boundary2` is no delimiter of `boundary`.
    if (rest === "" || rest === "--") yield { at, next, isLast: rest === "--" };
  }
}
