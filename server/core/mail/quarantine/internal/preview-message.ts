import { Parser } from "htmlparser2";

import { readMessage } from "#server/core/shared/mime/read-message.ts";

export type Preview = {
  /** The text as plain text; "" if there is none. */
  text: string;
  /** `text` was converted from HTML and includes hidden text. */
  isFromHtml: boolean;
  attachments: { name: string; type: string; size: number }[];
  /** The beginning of the raw message. */
  source: string;
  /** `source` is incomplete. */
  isCut: boolean;
};

const TEXT_LENGTH_MAX = 20_000;
const SOURCE_BYTES_MAX = 64 * 1024;
const ATTACHMENTS_MAX = 50;

/** A safe preview of an untrusted message: plain text and names only. */
export function previewMessage(content: Buffer, { isWhole }: { isWhole: boolean }): Preview {
  const source = content.subarray(0, SOURCE_BYTES_MAX).toString("utf8");
  const isCut = !isWhole || content.length > SOURCE_BYTES_MAX;
  const { text, html, files } = readMessage(content, { filesMax: ATTACHMENTS_MAX });
  const isFromHtml = text === null && html !== null;
  return {
    source: source.toWellFormed(),
    isCut,
    text: readable(text ?? htmlToText(html ?? "")),
    isFromHtml,
    attachments: files.map(({ filename, type, content: bytes }) => ({
      name: readable(filename ?? "").slice(0, 255),
      type,
      size: bytes.length,
    })),
  };
}

const readable = (text: string) =>
  text.replaceAll("\r\n", "\n").trim().slice(0, TEXT_LENGTH_MAX).toWellFormed();

const SKIPPED_TAGS = new Set(["style", "script", "title", "head"]);
const LINE_ENDERS = new Set(["p", "div", "br", "tr", "li", "h1", "h2", "h3", "table"]);

function htmlToText(html: string): string {
  let text = "";
  let silent = 0;
  const parser = new Parser({
    onopentag(name) {
      if (SKIPPED_TAGS.has(name)) silent += 1;
    },
    ontext(words) {
      if (silent === 0) text += words.replace(/\s+/g, " ");
    },
    onclosetag(name) {
      if (SKIPPED_TAGS.has(name)) silent -= 1;
      if (LINE_ENDERS.has(name)) text += "\n";
    },
  });
  parser.end(html);
  // Line by line, because a regular expression over the whole text could be made to run for minutes.
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line, at) => line !== "" || lines[at - 1] !== "").join("\n");
}
