import type { SimpleParserOptions } from "mailparser";

/** A part that isn't the message's text: a report, a file, an enclosed message. */
export type MessagePart = { type: string; content: Buffer };

export type ParsedMessage = {
  /** The message's own header fields, by lowercase name. */
  headers: Map<string, string[]>;
  text: string;
  parts: MessagePart[];
};

const PARTS_MAX = 20;
const HEADER_BYTES_MAX = 256 * 1024;

// Options of mailparser and its splitter that the types don't declare.
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  /** Keep it as a part, not as text. */
  keepDeliveryStatus: true,
  /** Keep enclosed messages as parts; callers parse their headers themselves. */
  ignoreEmbedded: true,
  maxChildNodes: 100,
  maxHeadSize: HEADER_BYTES_MAX,
} satisfies SimpleParserOptions & Record<string, unknown>;

/**
 * Parses a received message (RFC 2045), one level deep.
 *
 * @throws Error if it can't be parsed
 */
export async function parseMessage(message: Buffer): Promise<ParsedMessage> {
  const { simpleParser } = await import("mailparser");
  const { headerLines, text, attachments } = await simpleParser(message, OPTIONS);
  const headers = new Map<string, string[]>();
  for (const { key, line } of headerLines)
    headers.set(key, [...(headers.get(key) ?? []), valueOf(line)]);
  return {
    headers,
    text: text ?? "",
    parts: attachments
      .slice(0, PARTS_MAX)
      .map(({ contentType, content }) => ({ type: contentType.toLowerCase(), content })),
  };
}

/** Parses `Name: value` lines, such as a delivery status, unfolding long lines. */
export function readFields(text: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const line of text.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/, FIELDS_MAX)) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    fields.set(name, [...(fields.get(name) ?? []), valueOf(line)]);
  }
  return fields;
}

const FIELDS_MAX = 500;
const VALUE_LENGTH_MAX = 4_000;

const valueOf = (line: string): string =>
  line
    .slice(line.indexOf(":") + 1)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, VALUE_LENGTH_MAX);
