import { simpleParser, type SimpleParserOptions } from "mailparser";

/** A part of a message that is no text to read: a report, a file, an enclosed message. */
export type MessagePart = { type: string; content: Buffer };

export type ParsedMessage = {
  /** Fields of the message's own header, by name in lower case. */
  headers: Map<string, string[]>;
  text: string;
  parts: MessagePart[];
};

const PARTS_MAX = 20;
const HEADER_BYTES_MAX = 256 * 1024;

// Both are options of mailparser and of the splitter beneath it that its types do not know.
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  /** As a part, not as text to read. */
  keepDeliveryStatus: true,
  /** An enclosed message is a part, whose header is read by whoever needs it. */
  ignoreEmbedded: true,
  maxChildNodes: 100,
  maxHeadSize: HEADER_BYTES_MAX,
} satisfies SimpleParserOptions & Record<string, unknown>;

/**
 * Takes a message of the outside world apart (RFC 2045), one level deep.
 *
 * @throws Error for one that cannot be read, or has more parts or header than any report
 */
export async function parseMessage(message: Buffer): Promise<ParsedMessage> {
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

/** Fields as `Name: value` stands in them, such as those of a delivery status, folded lines in one. */
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
