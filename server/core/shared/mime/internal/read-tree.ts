import { findField } from "#server/core/shared/mime/edit-parts.ts";
import { headerEnd, headerFields } from "#server/core/shared/mime/header-fields.ts";
import { readParameters } from "#server/core/shared/mime/parameters.ts";

/** A part of a message; a multipart has children, and the message itself is the root. */
export type TreePart = {
  header: Buffer;
  /** Complete only without children. */
  body: Buffer;
  /** `type/subtype` in lower case; null if it is missing or not valid. */
  type: string | null;
  /** Of the Content-Type. */
  parameters: Map<string, string>;
  children: TreePart[];
};

const [LF, CR, DASH] = [0x0a, 0x0d, 0x2d];
/** No mail program produces as many. Further parts are left out, and deeper multiparts are text. */
const [PARTS_MAX, DEPTH_MAX] = [10_000, 200];
/** Lines of all parts' headers. */
const PART_HEADER_LINES_MAX = 100_000;
/** RFC 2046, 5.1.1 allows 70. */
const BOUNDARY_LENGTH_MAX = 300;
const LINE_READ_MAX = BOUNDARY_LENGTH_MAX + 10;

/** Lines of a header in which to look for the text. */
const HEADER_LINES_MAX = 20_000;

const FIELD = /^[\x21-\x39\x3b-\x7e]+[ \t]*:/;
/** A parameter on a line of its own that lacks its indentation. */
const PARAMETER = /^[\w*-]+=\S/;
const KNOWN_FIELD =
  /^(?:from|to|cc|bcc|subject|date|sender|reply-to|in-reply-to|references|message-id|mime-version|received|return-path|delivered-to|precedence|auto-submitted|importance|user-agent|(?:content|x|list|arc|dkim|resent|thread|authentication)-.+)$/;

/** Splits a message into its parts in one pass. Never throws. */
export function readTree(message: Buffer): TreePart {
  const end = headerEnd(message);
  const lineFeeds = message.subarray(0, end).indexOf("\n\n");
  const header = message.subarray(0, lineFeeds === -1 ? end : lineFeeds + 1);
  const bodyStart = textStart(header) ?? afterLine(message, header.length);
  const root = newPart(message.subarray(0, Math.min(header.length, bodyStart)));
  root.body = message.subarray(bodyStart);
  new Splitter(root, boundaryOf(root)).split();
  return root;
}

/**
 * Splits a multipart without parts whose boundary is missing or wrong, by what looks like a delimiter.
 *
 * @param body its decoded body
 * @returns whether there are parts
 */
export function splitByGuess(part: TreePart, body: Buffer): boolean {
  const start = body.toString("latin1", 0, 64 * 1024);
  const guessed = /(?:^|\n)--(\S[^\r\n]{0,200}?)[ \t]*\r?\n(?:Content-|MIME-)/i.exec(start)?.[1];
  for (const boundary of [boundaryOf(part), guessed ?? ""]) {
    const whole = { ...part, body, children: [] };
    new Splitter(whole, boundary).split();
    part.children = whole.children;
    if (part.children.length > 0) return true;
  }
  return false;
}

const boundaryOf = ({ type, parameters }: TreePart) =>
  type?.startsWith("multipart/") ? (parameters.get("boundary") ?? "") : "";

function newPart(header: Buffer): TreePart {
  const body = Buffer.alloc(0);
  const field = findField({ header, body }, "content-type");
  const [, type] = /^\s*"?([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/.exec(field) ?? [];
  const parameters = readParameters(field);
  return { header, body, type: type?.toLowerCase() ?? null, parameters, children: [] };
}

type Delimiter = { level: number; isLast: boolean };

/** Splits a body in one pass, whatever the depth. */
class Splitter {
  readonly #body: Buffer;
  /** The open multiparts, outermost first. `outer` is the level of another one with the same boundary. */
  readonly #open: { part: TreePart; key: string; outer: number | undefined }[] = [];
  /** Of the innermost open multipart with a boundary. */
  readonly #levels = new Map<string, number>();
  #count = 0;
  #headerLines = 0;

  constructor(root: TreePart, boundary: string) {
    this.#body = root.body;
    this.#push(root, boundary);
  }

  split(): void {
    const body = this.#body;
    let [at, current]: [number, { part: TreePart; start: number } | null] = [0, null];
    while (at < body.length && this.#open.length > 0) {
      const line = nextDashed(body, at);
      if (line === -1) break;
      at = afterLine(body, line);
      const delimiter = this.#delimiterAt(line);
      if (!delimiter) continue;
      if (current)
        current.part.body = body.subarray(current.start, beforeLine(body, line, current.start));
      while (this.#open.length > delimiter.level + 1) this.#pop();
      const { part } = this.#open.at(-1)!;
      current = null;
      if (delimiter.isLast) this.#pop();
      else {
        if (this.#isFull) return;
        const [headerEnd, start] = this.#findHeaderEnd(at);
        const child = newPart(body.subarray(at, headerEnd));
        part.children.push(child);
        this.#count++;
        this.#push(child, boundaryOf(child));
        [at, current] = [start, { part: child, start }];
      }
    }
    // Without a closing delimiter, the last part extends to the end.
    if (current) current.part.body = body.subarray(current.start);
  }

  get #isFull(): boolean {
    return this.#count >= PARTS_MAX || this.#headerLines > PART_HEADER_LINES_MAX;
  }

  #push(part: TreePart, boundary: string): void {
    const key = boundary.trimEnd();
    if (key === "" || key.length > BOUNDARY_LENGTH_MAX || this.#open.length > DEPTH_MAX) return;
    this.#open.push({ part, key, outer: this.#levels.get(key) });
    this.#levels.set(key, this.#open.length - 1);
  }

  #pop(): void {
    const { key, outer } = this.#open.pop()!;
    if (outer === undefined) this.#levels.delete(key);
    else this.#levels.set(key, outer);
  }

  #delimiterAt(line: number): Delimiter | null {
    const text = lineText(this.#body, line);
    if (!text.startsWith("--")) return null;
    const key = text.slice(2).trimEnd();
    const level = this.#levels.get(key);
    if (level !== undefined) return { level, isLast: false };
    const closed = key.endsWith("--") ? this.#levels.get(key.slice(0, -2).trimEnd()) : undefined;
    return closed === undefined ? null : { level: closed, isLast: true };
  }

  /** Where the header of a part ends, and its body starts. A line that is no field belongs to the body. */
  #findHeaderEnd(start: number): [headerEnd: number, bodyStart: number] {
    const body = this.#body;
    let last = "";
    for (let at = start; at < body.length; at = afterLine(body, at)) {
      const text = lineText(body, at);
      if (++this.#headerLines > PART_HEADER_LINES_MAX) return [at, at];
      if (text.trim() === "") return [at, afterLine(body, at)];
      if (this.#delimiterAt(at) || !isHeaderLine(text, last)) return [at, at];
      last = endOfLine(body, at);
    }
    return [body.length, body.length];
  }
}

/** @param last the end of the line above; "" for none */
const isHeaderLine = (text: string, last: string): boolean =>
  FIELD.test(text) ||
  (last !== "" && (/^[ \t]/.test(text) || last.endsWith(";") || PARAMETER.test(text)));

/** Where the text starts in a header that no empty line ends; null if it ends in fields. */
function textStart(header: Buffer): number | null {
  const fields = headerFields(header);
  const known = fields.findLast(({ name }) => KNOWN_FIELD.test(name)) ?? fields[0];
  let [last, lines] = ["", 0];
  for (let at = known?.start ?? 0; at < header.length; at = afterLine(header, at)) {
    if (++lines > HEADER_LINES_MAX) return null;
    if (!isHeaderLine(lineText(header, at), last)) return at;
    last = endOfLine(header, at);
  }
  return null;
}

/** The next line that starts with two dashes, at this offset or below it; -1 for none. */
function nextDashed(body: Buffer, at: number): number {
  const isAtStart = at === 0 || body[at - 1] === LF;
  if (isAtStart && body[at] === DASH && body[at + 1] === DASH) return at;
  const found = body.indexOf("\n--", at);
  return found === -1 ? -1 : found + 1;
}

function afterLine(body: Buffer, at: number): number {
  const lf = body.indexOf(LF, at);
  return lf === -1 ? body.length : lf + 1;
}

/** The beginning of a line. */
const lineText = (body: Buffer, at: number): string =>
  body.toString(
    "latin1",
    at,
    Math.min(afterLine(body.subarray(0, at + LINE_READ_MAX), at), at + LINE_READ_MAX),
  );

/** The end of a line, without white space. */
const endOfLine = (body: Buffer, at: number): string => {
  const end = afterLine(body, at);
  return body.toString("latin1", Math.max(at, end - 10), end).trimEnd() || " ";
};

/** The offset of the line break before a delimiter, which belongs to it. */
function beforeLine(body: Buffer, line: number, start: number): number {
  if (line <= start) return start;
  return Math.max(start, body[line - 2] === CR ? line - 2 : line - 1);
}
