import type { AddressObject, Attachment, SimpleParserOptions } from "mailparser";

import { decodeWords } from "#server/core/shared/mime/decode-words.ts";
import { toFileName } from "#server/core/shared/mime/file-parameter.ts";

/** A file of a received message, decoded. */
export type ParsedFile = {
  filename: string | null;
  contentType: string;
  isInline: boolean;
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
  /** By lowercase name, unfolded and decoded; the values of repeated fields are joined with ", ". */
  headers: Record<string, string>;
  text: string | null;
  html: string | null;
  files: ParsedFile[];
};

export type ParseResult = { content: ParsedContent } | { problem: string };

const ADDRESSES_MAX = 100;
const ADDRESS_LENGTH_MAX = 320;
const HEADER_FIELDS_MAX = 200;
const HEADER_VALUE_MAX = 4_000;
const TEXT_LENGTH_MAX = 2 * 1024 * 1024;
const FILES_MAX = 100;
const FILENAME_MAX = 255;

// Options of mailparser and its splitter that the types don't declare.
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepDeliveryStatus: true,
  /** Enclosed messages are files. */
  ignoreEmbedded: true,
  maxChildNodes: 100,
  maxHeadSize: 256 * 1024,
} satisfies SimpleParserOptions & Record<string, unknown>;

/** Parses an untrusted message. Never throws. Can take seconds, so call it in a thread. */
export async function parseContent(message: Buffer): Promise<ParseResult> {
  const { simpleParser } = await import("mailparser");
  try {
    const { to, cc, bcc, replyTo, headerLines, text, html, attachments } = await simpleParser(
      message,
      OPTIONS,
    );
    const content = {
      ...{ to: addressesOf(to), cc: addressesOf(cc), bcc: addressesOf(bcc) },
      replyTo: addressesOf(replyTo),
      headers: readHeaders(headerLines),
      text: text === undefined ? null : cut(text, TEXT_LENGTH_MAX),
      html: typeof html === "string" ? cut(html, TEXT_LENGTH_MAX) : null,
      files: attachments.slice(0, FILES_MAX).map(toFile),
    };
    return { content };
  } catch (error) {
    return { problem: oneLine(error instanceof Error ? error.message : String(error), 200) };
  }
}

function addressesOf(field: AddressObject | AddressObject[] | undefined): string[] {
  const entries = [field ?? []].flat().flatMap(({ value }) => value);
  return entries
    .flatMap(({ address, group }) => [address, ...(group ?? []).map((member) => member.address)])
    .filter((address) => address !== undefined && address !== "")
    .slice(0, ADDRESSES_MAX)
    .map((address) => oneLine(address!, ADDRESS_LENGTH_MAX));
}

function readHeaders(lines: readonly { key: string; line: string }[]): Record<string, string> {
  const values = new Map<string, string[]>();
  for (const { key, line } of lines.slice(0, HEADER_FIELDS_MAX)) {
    const value = decodeWords(line.slice(line.indexOf(":") + 1).replace(/\r?\n(?=[ \t])/g, ""));
    const name = oneLine(key, FILENAME_MAX);
    values.set(name, [...(values.get(name) ?? []), oneLine(value, HEADER_VALUE_MAX)]);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.join(", ")]));
}

function toFile({ filename, contentType, contentDisposition, cid, content }: Attachment) {
  const name = toFileName(filename ?? "");
  const contentId = oneLine(cid ?? "", FILENAME_MAX);
  return {
    filename: name === "" ? null : name,
    contentType: /^[\w.+-]+\/[\w.+-]+$/.test(contentType)
      ? contentType.toLowerCase().slice(0, FILENAME_MAX)
      : "application/octet-stream",
    isInline: contentDisposition === "inline",
    contentId: contentId === "" ? null : contentId,
    content,
  };
}

/** Without control characters, so that nothing can be injected where a program writes it. */
const oneLine = (text: string, max: number) =>
  cut(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim(), max);

/** Postgres rejects NUL and lone surrogates. */
const cut = (text: string, max: number) => text.replaceAll("\0", "").slice(0, max).toWellFormed();
