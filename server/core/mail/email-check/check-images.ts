import { Parser } from "htmlparser2";

import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { pluralize } from "#server/core/shared/text.ts";

import { type EmailProblem, emailWarning } from "./check-envelope.ts";

/** Less text than this beside images looks like an image-only email to spam filters. */
const TEXT_BESIDE_IMAGES_MIN = 100;

/** Phones load more than this noticeably slowly. */
const EMBEDDED_BYTES_MAX = 1024 * 1024;

export type ImageFacts = {
  /** Octets of the images in the message: attachments that the HTML shows, and `data:` URLs. */
  embeddedBytes: number;
  /** Images that readers load from web servers. */
  remote: number;
  /** Remote images without width or height, and without alt text. */
  withoutSize: number;
  withoutAlt: number;
};

/** Measures an email's images. Remote ones are counted but not requested, so their size isn't known. */
export function readImages(
  { html, attachments }: Pick<EmailInput, "html" | "attachments">,
  content: HtmlContent | null,
): ImageFacts {
  const remote = content?.images.filter(({ src }) => /^(https?:)?\/\//i.test(src)) ?? [];
  const isReferenced = contentReferences(html);
  const inline = attachments.filter(({ contentId }) => isReferenced(contentId));
  return {
    embeddedBytes:
      dataBytes(html ?? "") + inline.reduce((sum, file) => sum + file.content.length, 0),
    remote: remote.length,
    withoutSize: remote.filter(({ hasSize }) => !hasSize).length,
    withoutAlt: remote.filter(({ hasAlt }) => !hasAlt).length,
  };
}

/** Octets of the base64 images in the HTML. */
function dataBytes(html: string): number {
  let bytes = 0;
  for (const [url] of html.matchAll(/data:image\/[^"')\s<>]+/gi))
    bytes += Math.floor(((url.length - url.indexOf(",") - 1) * 3) / 4);
  return bytes;
}

export function checkImages(
  { images, textLength }: HtmlContent,
  facts: ImageFacts,
): EmailProblem[] {
  const missing = images.filter(({ hasAlt }) => !hasAlt).length;
  return [
    ...(missing > 0
      ? [
          emailWarning(
            "no_alt",
            `${missing} of ${pluralize(images.length, "image has", "images have")} no alt text, which is all that readers see until they load images`,
          ),
        ]
      : []),
    ...(facts.withoutSize > 0
      ? [
          emailWarning(
            "image_without_size",
            `${facts.withoutSize} of ${pluralize(facts.remote, "remote image has", "remote images have")} no width or height, so the text moves while images load, and Outlook shows them in full size. Set both`,
          ),
        ]
      : []),
    ...(facts.embeddedBytes > EMBEDDED_BYTES_MAX
      ? [
          emailWarning(
            "heavy_images",
            `The images in the message take up ${(facts.embeddedBytes / 1024 ** 2).toFixed(1)} MB. Compress them to less than 1 MB, or link to them`,
          ),
        ]
      : []),
    ...(images.some(({ src }) => /^data:/i.test(src))
      ? [
          emailWarning(
            "data_image",
            "An image is embedded as a data: URL, which Gmail and Outlook don't show. Attach it with a content_id, and use cid:",
          ),
        ]
      : []),
    ...(images.some(({ src }) => /^http:/i.test(src))
      ? [
          emailWarning(
            "http_image",
            "An image is loaded without encryption, which many mail programs block. Use https",
          ),
        ]
      : []),
    ...(images.length > 0 && textLength < TEXT_BESIDE_IMAGES_MIN
      ? [
          emailWarning(
            "mostly_images",
            "The email has images and hardly any text, which looks like spam. Write the message as text too",
          ),
        ]
      : []),
  ];
}

/** A link and the text that readers see. */
export type FoundLink = { url: string; text: string };

type FoundImage = { src: string; hasAlt: boolean; hasSize: boolean };

export type HtmlContent = {
  links: FoundLink[];
  images: FoundImage[];
  /** Characters of text outside of scripts and styles. */
  textLength: number;
  hasScript: boolean;
  /** Whether the HTML sets colors of text (links aside) and of backgrounds, and has styles for dark mode. */
  colors: { text: boolean; background: boolean; hasDarkMode: boolean };
};

/** Mail programs cut longer documents. */
const READ_CHARS_MAX = 500_000;

const ITEMS_MAX = 1_000;
const LINK_TEXT_MAX = 200;
const HIDDEN = new Set(["script", "style"]);

/** Reads links and images of a document, at most its first 500,000 characters. Accepts any input in linear time. */
export function readHtml(html: string): HtmlContent {
  const content: HtmlContent = {
    links: [],
    images: [],
    textLength: 0,
    hasScript: false,
    colors: { text: false, background: false, hasDarkMode: false },
  };
  let link: FoundLink | null = null;
  let hidden = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      content.hasScript ||= name === "script";
      if (HIDDEN.has(name)) hidden++;
      if (name === "a" && attributes.href !== undefined && content.links.length < ITEMS_MAX)
        content.links.push((link = { url: attributes.href.trim(), text: "" }));
      if (name === "img" && content.images.length < ITEMS_MAX)
        content.images.push(readImage(attributes));
      readColors(content.colors, name, attributes);
    },
    ontext(text) {
      if (hidden > 0) readStyle(content.colors, text);
      if (hidden > 0) return;
      content.textLength += text.trim().length;
      if (link && link.text.length < LINK_TEXT_MAX) link.text += text.slice(0, LINK_TEXT_MAX);
    },
    onclosetag(name) {
      if (HIDDEN.has(name)) hidden--;
      if (name === "a") link = null;
    },
  });
  parser.end(html.slice(0, READ_CHARS_MAX));
  return content;
}

type Attributes = Record<string, string>;

function readImage(attributes: Attributes): FoundImage {
  const { src = "", style = "" } = attributes;
  const has = (side: string) =>
    side in attributes || new RegExp(`\\b${side}\\s*:`, "i").test(style);
  return {
    src: src.trim(),
    hasAlt: "alt" in attributes,
    hasSize: has("width") && has("height"),
  };
}

type Colors = HtmlContent["colors"];

function readColors(colors: Colors, name: string, attributes: Attributes): void {
  colors.text ||= name !== "a" && setsTextColor(attributes);
  colors.background ||=
    "bgcolor" in attributes || /background(-color)?\s*:/i.test(attributes.style ?? "");
  colors.hasDarkMode ||= name === "meta" && /color-schemes?$/i.test(attributes.name ?? "");
}

const setsTextColor = (attributes: Attributes): boolean =>
  "color" in attributes ||
  "text" in attributes ||
  /(^|[;\s])color\s*:/i.test(attributes.style ?? "");

/** Reads a style sheet, except its text colors, which may be only for links. */
function readStyle(colors: Colors, css: string): void {
  colors.background ||= /background(-color)?\s*:/i.test(css);
  colors.hasDarkMode ||= /color-scheme/i.test(css);
}
