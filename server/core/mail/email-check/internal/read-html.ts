import { Parser } from "htmlparser2";

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
    ...{ links: [], images: [], textLength: 0, hasScript: false },
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
