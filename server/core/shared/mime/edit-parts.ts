import { fieldValue, headerEnd, headerFields, withoutFields } from "./header-fields.ts";

/** An entity of a MIME message: the message itself, or a part of a multipart (RFC 2045, 2.4). */
export type Part = {
  /** The header fields, each with its CRLF. */
  header: Buffer;
  /** Everything after the empty line. */
  body: Buffer;
};

/** Deeper nesting is left alone; no mail program produces it. */
const DEPTH_MAX = 20;
/**
 * Work limit of a message: one unit for each delimiter, 100 octets of headers, and 10,000 octets of enclosed message. No mail program
 * comes close. Parts beyond it stay unchanged.
 */
const WORK_MAX = 10_000;
type Work = { left: number };

/** Where a part is; `work` is shared by all parts. */
export type PartPlace = { depth: number; work: Work };

/** Changing these would break the signature or encryption (RFC 1847). */
const SEALED = /^multipart\/(?:signed|encrypted)$/;
const CRLF = Buffer.from("\r\n");

/**
 * Edits the parts of a message. A multipart's parts come before the multipart itself, which is passed with
 * its edited body. An enclosed message is one part; signed or encrypted multiparts are skipped. Parts that
 * `edit` returns unchanged keep their octets.
 *
 * @param edit returns the edited part, or the same object to leave it alone; the message itself has depth 0
 * @param place of a message that another one encloses
 */
export function editParts(
  message: Buffer,
  edit: (part: Part, place: PartPlace) => Part,
  place: PartPlace = { depth: 0, work: { left: WORK_MAX } },
): Buffer {
  const { depth, work } = place;
  const part = readPart(message);
  work.left -= part.header.length / 100;
  const type = mediaType(part);
  if (SEALED.test(type) || depth > DEPTH_MAX || (depth > 0 && work.left < 0)) return message;
  const body = type.startsWith("multipart/") ? editBetween(part, edit, place) : part.body;
  const whole = body === part.body ? part : { ...part, body };
  const edited = edit(whole, place);
  return edited === part ? message : Buffer.concat([edited.header, CRLF, edited.body]);
}

function readPart(message: Buffer): Part {
  const end = headerEnd(message);
  return { header: message.subarray(0, end), body: message.subarray(end + CRLF.length) };
}

/** `type/subtype` in lower case; `text/plain` if missing or unreadable (RFC 2045, 5.2). */
export function mediaType(part: Part): string {
  const [, type] = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/.exec(findField(part, "content-type")) ?? [];
  return type?.toLowerCase() ?? "text/plain";
}

/** A Content-Type parameter by its lowercase name; null if missing. */
export function parameter(part: Part, name: string): string | null {
  for (const [, key, quoted, plain] of findField(part, "content-type").matchAll(PARAMETER))
    if (key!.toLowerCase() === name) return plain ?? quoted!.replace(/\\(.)/g, "$1");
  return null;
}

/** The Content-Type with a parameter added or replaced; the others stay as written. */
export function withParameter(part: Part, name: string, value: string): string {
  const others = [...findField(part, "content-type").matchAll(PARAMETER)]
    .filter(([, key]) => key!.toLowerCase() !== name)
    .map(([text]) => `;\r\n ${text.replace(/^;\s*/, "")}`);
  return `${mediaType(part)}; ${name}=${value}${others.join("")}`;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;

/** The value of the first field of this name, in latin1 and unfolded; "" if missing. */
export function findField({ header }: Part, name: string): string {
  const field = headerFields(header).find((one) => one.name === name);
  return field ? fieldValue(header, field) : "";
}

/** The header with these fields replaced; missing ones are added at the end. */
export function withFields(header: Buffer, fields: Record<string, string>): Buffer {
  const names = Object.keys(fields).map((name) => name.toLowerCase());
  const replaced = headerFields(header).filter(({ name }) => names.includes(name));
  const added = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([withoutFields(header, replaced), Buffer.from(added.join(""), "latin1")]);
}

function editBetween(
  part: Part,
  edit: (part: Part, place: PartPlace) => Part,
  { depth, work }: PartPlace,
): Buffer {
  const { body } = part;
  const pieces: Buffer[] = [];
  let kept = 0;
  let isChanged = false;
  for (const [start, end] of rangesBetween(body, parameter(part, "boundary"), work)) {
    const inner = body.subarray(start, end);
    const edited = editParts(inner, edit, { depth: depth + 1, work });
    if (edited === inner) continue;
    isChanged = true;
    pieces.push(body.subarray(kept, start), edited);
    kept = end;
  }
  return isChanged ? Buffer.concat([...pieces, body.subarray(kept)]) : body;
}

/** The parts between a multipart's delimiter lines (RFC 2046, 5.1.1). */
function rangesBetween(body: Buffer, boundary: string | null, work: Work) {
  const ranges: [start: number, end: number][] = [];
  if (!boundary) return ranges;
  let start = -1;
  for (const line of delimiters(body, Buffer.from(`--${boundary}`, "latin1"), work)) {
    if (start !== -1) ranges.push([start, Math.max(start, line.at - CRLF.length)]);
    start = line.next;
    if (line.isLast) return ranges;
  }
  // Without a closing delimiter, the last part extends to the end.
  if (start !== -1 && work.left > 0) ranges.push([start, body.length]);
  return ranges;
}

type Delimiter = { at: number; next: number; isLast: boolean };

function* delimiters(body: Buffer, dashed: Buffer, work: Work): Generator<Delimiter> {
  for (let at = body.indexOf(dashed); at !== -1; at = body.indexOf(dashed, at + 1)) {
    if (--work.left <= 0) return;
    if (at > 0 && body[at - 1] !== 0x0a) continue;
    const lf = body.indexOf("\n", at);
    const next = lf === -1 ? body.length : lf + 1;
    const rest = body.toString("latin1", at + dashed.length, next).trim();
    // `--boundary2` is not a delimiter of `boundary`.
    if (rest === "" || rest === "--") yield { at, next, isLast: rest === "--" };
  }
}
