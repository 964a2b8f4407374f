import { decodeText } from "./charsets.ts";
import { findField } from "./edit-parts.ts";
import { trimmed } from "./header-fields.ts";
import { readTree, splitByGuess, type TreePart } from "./internal/read-tree.ts";
import { readParameters } from "./parameters.ts";
import { decodeLeniently } from "./transfer-encoding.ts";

/** A part of a message that isn't its text: an attachment, a report, an enclosed message. */
export type MessageFile = {
  /** `type/subtype` in lower case. */
  type: string;
  filename: string | null;
  /** Without its angle brackets. */
  contentId: string | null;
  /** Whether the message says to show it in the text; null if it doesn't say. */
  isInline: boolean | null;
  content: Buffer;
};

/** What a message says. */
export type MessageContent = {
  text: string | null;
  html: string | null;
  /** In message order. */
  files: MessageFile[];
  /** Number of files, including those beyond the limit. */
  filesTotal: number;
};

/**
 * Reads the text and the files of a message as mail apps do (RFC 2045). Never throws: what exceeds a limit is cut, and
 * what isn't valid MIME is read as text. Enclosed messages are files. The time is linear in the message's size.
 *
 * @param filesMax files beyond it are only counted
 */
export function readMessage(message: Buffer, { filesMax }: { filesMax: number }): MessageContent {
  const root = readTree(message);
  const reader = new Reader(filesMax);
  reader.read(root, { isRoot: true });
  // All parts are empty, or there is only text around them.
  if (reader.isEmpty) reader.addText({ ...root, type: null });
  return reader.content;
}

type Facts = Omit<MessageFile, "content">;

class Reader {
  readonly #filesMax: number;
  readonly #texts: string[] = [];
  readonly #htmls: string[] = [];
  readonly #files: MessageFile[] = [];
  #filesTotal = 0;

  constructor(filesMax: number) {
    this.#filesMax = filesMax;
  }

  get isEmpty(): boolean {
    return this.#texts.length + this.#htmls.length + this.#filesTotal === 0;
  }

  get content(): MessageContent {
    return {
      text: this.#texts.length > 0 ? this.#texts.join("\n") : null,
      html: this.#htmls.length > 0 ? this.#htmls.join("<br/>\n") : null,
      files: this.#files,
      filesTotal: this.#filesTotal,
    };
  }

  read(part: TreePart, { isRoot = false, isGuessed = false } = {}): void {
    const isSplit = !isGuessed && isBroken(part) && splitByGuess(part, decodeLeniently(part));
    for (const child of part.children) this.read(child, { isGuessed: isGuessed || isSplit });
    if (part.children.length === 0) this.#addLeaf(part, isRoot);
  }

  #addLeaf(part: TreePart, isRoot: boolean): void {
    const facts = readFacts(part);
    if (isMultipart(part) || isText(part, facts, isRoot)) this.addText(part);
    else this.#addFile(part, facts);
  }

  addText(part: TreePart): void {
    const { type, parameters } = part;
    const bytes = decodeLeniently(part);
    const isHtml =
      type === "text/html" || (type !== "text/plain" && LOOKS_LIKE_HTML.test(startOf(bytes)));
    const label = parameters.get("charset") ?? null;
    const decoded = decodeText(bytes, label, () => (isHtml ? charsetInHtml(bytes) : null));
    const text = decoded.replaceAll("\r\n", "\n");
    if (text.trim() === "") return;
    const isFlowed = !isHtml && parameters.get("format")?.toLowerCase() === "flowed";
    const isDelSp = parameters.get("delsp")?.toLowerCase() === "yes";
    if (isHtml) this.#htmls.push(text);
    else this.#texts.push(isFlowed ? joinFlowedLines(text, { isDelSp }) : text);
  }

  #addFile(part: TreePart, facts: Facts): void {
    this.#filesTotal += 1;
    if (this.#files.length < this.#filesMax)
      this.#files.push({ ...facts, content: decodeLeniently(part) });
  }
}

const isMultipart = ({ type }: TreePart) => type?.startsWith("multipart/") ?? false;

const isBroken = (part: TreePart) => isMultipart(part) && part.children.length === 0;

function readFacts(part: TreePart): Facts {
  const { type, parameters } = part;
  const field = findField(part, "content-disposition");
  const filename = readParameters(field).get("filename") || parameters.get("name") || null;
  const disposition = /^\s*"?([\w-]+)"?\s*(?:;|$)/.exec(field)?.[1]?.toLowerCase();
  const contentId = trimmed(findField(part, "content-id")).replace(/^<|>$/g, "");
  return {
    type: type ?? "application/octet-stream",
    filename,
    contentId: contentId || null,
    isInline: disposition === undefined ? null : disposition === "inline",
  };
}

function isText({ type }: TreePart, { isInline, filename }: Facts, isRoot: boolean): boolean {
  if (isInline === false) return false;
  if (type === "text/plain" || type === "text/html") return true;
  // A message of another type of text, such as text/markdown, has no other text.
  const isUntyped = type === null || (isRoot && type.startsWith("text/"));
  return isUntyped && filename === null;
}

const startOf = (bytes: Buffer) => bytes.toString("latin1", 0, 4_096);
const LOOKS_LIKE_HTML = /^\s*<(?:!doctype html|html|head|body)\b/i;

const charsetInHtml = (bytes: Buffer): string | null =>
  /(?:<meta\b[^>]{0,300}?\bcharset|<\?xml\b[^>]{0,100}?\bencoding)\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(
    startOf(bytes),
  )?.[1] ?? null;

/**
 * Joins the lines of `format=flowed` text that a mail app broke (RFC 3676), within one quote depth. Quotes keep their
 * marks.
 *
 * @param text with LF line ends
 * @param isDelSp the space that marks a broken line isn't part of the text
 */
function joinFlowedLines(text: string, { isDelSp }: { isDelSp: boolean }): string {
  const paragraphs: { depth: number; words: string[]; isOpen: boolean }[] = [];
  for (const line of text.split("\n")) {
    const depth = countMarks(line);
    // A space at the start was added to protect the line.
    const content = line.slice(line[depth] === " " ? depth + 1 : depth);
    const isSignature = content === "-- ";
    const isFlowed = content.endsWith(" ") && !isSignature;
    const words = isFlowed && isDelSp ? content.slice(0, -1) : content;
    const last = paragraphs.at(-1);
    if (!last?.isOpen || last.depth !== depth || isSignature)
      paragraphs.push({ depth, words: [words], isOpen: isFlowed });
    else {
      last.words.push(words);
      last.isOpen = isFlowed;
    }
  }
  return paragraphs.map(({ depth, words }) => quoted(depth, words.join(""))).join("\n");
}

const quoted = (depth: number, text: string): string =>
  depth === 0 ? text : `${">".repeat(depth)} ${text}`.trimEnd();

function countMarks(line: string): number {
  let count = 0;
  while (line[count] === ">") count++;
  return count;
}
