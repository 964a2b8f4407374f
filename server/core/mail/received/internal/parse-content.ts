import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { decodeText } from "#server/core/shared/mime/charsets.ts";
import { decodeWords } from "#server/core/shared/mime/encoded-words.ts";
import { toFileName } from "#server/core/shared/mime/parameters.ts";
import {
  fieldValue,
  type HeaderField,
  headerFields,
} from "#server/core/shared/mime/header-fields.ts";
import { detectFileType } from "#server/core/sending/compose/attachment-part.ts";
import { formatAddresses, readAddresses } from "#server/core/shared/mime/read-addresses.ts";
import { type MessageFile, readMessage } from "#server/core/shared/mime/read-message.ts";
import { storableText } from "#server/core/shared/text.ts";

/** A file of a received message, decoded. */
export type ParsedFile = {
  filename: string | null;
  contentType: string;
  /** Whether it is shown in the text; null if the message doesn't say, and doesn't refer to it. */
  isInline: boolean | null;
  /** Without its angle brackets. */
  contentId: string | null;
  content: Uint8Array;
};

/** What a received message says. */
export type ParsedContent = {
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  /** By lowercase name, unfolded and in their display form; the values of repeated fields are joined with ", ". */
  headers: Record<string, string>;
  text: string | null;
  html: string | null;
  files: ParsedFile[];
  /** What was left out; null if nothing. */
  problem: string | null;
};

/** The error if parsing takes too long. */
export type ParseResult = { content: ParsedContent } | { problem: string };

const ADDRESSES_MAX = 100;
const ADDRESS_LENGTH_MAX = 320;
const HEADER_FIELDS_MAX = 200;
const HEADER_VALUE_MAX = 4_000;
const TEXT_LENGTH_MAX = 2 * 1024 * 1024;
const FILES_MAX = 100;
const FILENAME_MAX = 255;

/** Parses an untrusted message. Never throws: what exceeds a limit is cut. Can take a second, so call it in a thread. */
export function parseContent(message: Buffer): ParseResult {
  const fields = headerFields(message);
  const addressesOf = (name: string) => listAddresses(message, fields, name);
  const { text, html, files, filesTotal } = readMessage(message, { filesMax: FILES_MAX });
  const isReferenced = contentReferences(html);
  const content = {
    to: addressesOf("to"),
    cc: addressesOf("cc"),
    bcc: addressesOf("bcc"),
    replyTo: addressesOf("reply-to"),
    headers: readHeaders(message, fields),
    text: text === null ? null : storableText(text, TEXT_LENGTH_MAX),
    html: html === null ? null : storableText(html, TEXT_LENGTH_MAX),
    files: files.map((file) => toFile(file, isReferenced)),
    problem:
      filesTotal > files.length
        ? `Only the first ${FILES_MAX} of ${filesTotal} attachments are shown`
        : null,
  };
  return { content };
}

function listAddresses(message: Buffer, fields: HeaderField[], name: string): string[] {
  const found = fields.filter((field) => field.name === name).slice(0, ADDRESSES_MAX);
  return found
    .flatMap((field) => readAddresses(fieldValue(message, field)))
    .slice(0, ADDRESSES_MAX)
    .map(({ address }) => oneLine(address, ADDRESS_LENGTH_MAX));
}

const ADDRESS_FIELD =
  /^(?!in-reply-to$)(?:.+-)?(?:from|to|cc|bcc|sender|recipient|list-id)$|^(?:errors-to|disposition-notification-to)$/;
/** Structured fields without display names. */
const STRUCTURED_FIELD =
  /^(?:content-.*|list-.*|received.*|return-path|message-id|in-reply-to|references|date|mime-version|dkim-signature|authentication-results|arc-.*)$/;

function readHeaders(message: Buffer, fields: HeaderField[]): Record<string, string> {
  const values = new Map<string, string[]>();
  for (const field of fields.slice(0, HEADER_FIELDS_MAX)) {
    const name = oneLine(field.name, FILENAME_MAX);
    const value = shownValue(name, fieldValue(message, field));
    values.set(name, [...(values.get(name) ?? []), oneLine(value, HEADER_VALUE_MAX)]);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.join(", ")]));
}

/** In a structured field, decoded words could be taken for syntax (RFC 2047, 6.2). */
function shownValue(name: string, value: string): string {
  if (ADDRESS_FIELD.test(name)) return formatAddresses(value, HEADER_VALUE_MAX);
  return STRUCTURED_FIELD.test(name)
    ? decodeText(Buffer.from(value, "latin1"), null)
    : decodeWords(value);
}

function toFile(
  { filename, type, isInline, contentId, content }: MessageFile,
  isReferenced: (contentId: string | null) => boolean,
): ParsedFile {
  const name = toFileName(filename ?? "");
  const id = oneLine(contentId ?? "", FILENAME_MAX);
  const known = detectFileType(type, filename);
  return {
    filename: name === "" ? null : name,
    contentType: /^[\w.+-]+\/[\w.+-]+$/.test(known)
      ? known.slice(0, FILENAME_MAX)
      : "application/octet-stream",
    isInline: isInline ?? (isReferenced(contentId) ? true : null),
    contentId: id === "" ? null : id,
    content,
  };
}

/** Without control characters, so that nothing can be injected where a program writes it. */
const oneLine = (text: string, max: number) =>
  storableText(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim(), max);
