import { Parser } from "htmlparser2";
import { simpleParser, type SimpleParserOptions } from "mailparser";

export type Preview = {
  /** What a person would read, as plain text; "" when there is none. */
  text: string;
  /** `text` was made from HTML: what is hidden there is shown here. */
  isFromHtml: boolean;
  attachments: { name: string; type: string; size: number }[];
  /** The message as it was sent, from its beginning on. */
  source: string;
  /** There is more of it than is shown. */
  isCut: boolean;
};

const TEXT_LENGTH_MAX = 20_000;
const SOURCE_BYTES_MAX = 64 * 1024;
const ATTACHMENTS_MAX = 50;

// Some are options of mailparser, or of the splitter beneath it, that its types do not know.
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  ignoreEmbedded: true,
  maxChildNodes: 100,
  maxHeadSize: 256 * 1024,
} satisfies SimpleParserOptions & Record<string, unknown>;

/**
 * What can be shown of a message from anybody: text, names and its source, nothing to be rendered. A
 * message that cannot be read has a source only.
 */
export async function previewMessage(
  content: Buffer,
  { isWhole }: { isWhole: boolean },
): Promise<Preview> {
  const source = content.subarray(0, SOURCE_BYTES_MAX).toString("utf8");
  const isCut = !isWhole || content.length > SOURCE_BYTES_MAX;
  const shown = { source: source.toWellFormed(), isCut };
  try {
    const { text = "", html, attachments } = await simpleParser(content, OPTIONS);
    const isFromHtml = text.trim() === "" && typeof html === "string";
    return {
      ...shown,
      text: readable(isFromHtml ? htmlToText(html) : text),
      isFromHtml,
      attachments: attachments.slice(0, ATTACHMENTS_MAX).map((one) => ({
        name: readable(one.filename ?? "").slice(0, 255),
        type: one.contentType,
        size: one.size,
      })),
    };
  } catch {
    return { ...shown, text: "", isFromHtml: false, attachments: [] };
  }
}

const readable = (text: string) =>
  text.replaceAll("\r\n", "\n").trim().slice(0, TEXT_LENGTH_MAX).toWellFormed();

const SKIPPED_TAGS = new Set(["style", "script", "title", "head"]);
const LINE_ENDERS = new Set(["p", "div", "br", "tr", "li", "h1", "h2", "h3", "table"]);

/** The words of a page, hidden ones too. */
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
  // Line by line: a pattern over all of it could be made to take minutes.
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line, at) => line !== "" || lines[at - 1] !== "").join("\n");
}
