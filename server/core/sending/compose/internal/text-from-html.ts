import { Tokenizer } from "htmlparser2";

import { TextLayout } from "./text-layout.ts";

/** The API's limit for text. */
export const TEXT_CHARS_MAX = 2_000_000;

const PARAGRAPHS = new Set("p h1 h2 h3 h4 h5 h6 table dl figure".split(" "));

const BLOCKS = new Set(
  (
    "address article aside body caption center dd details div dt fieldset figcaption footer form " +
    "header html legend main nav section summary tr"
  ).split(" "),
);

/** Elements without content: a hidden one hides nothing else. */
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

const OPENING = new Map<string, (layout: TextLayout) => void>([
  ["br", (layout) => layout.lineBreak()],
  ["hr", rule],
  ["ul", (layout) => layout.startList(false)],
  ["ol", (layout) => layout.startList(true)],
  ["li", (layout) => layout.startItem()],
  ["blockquote", (layout) => layout.startQuote()],
  ["pre", (layout) => layout.startPre()],
  ["td", (layout) => layout.space("  ")],
  ["th", (layout) => layout.space("  ")],
]);

const CLOSING = new Map<string, (layout: TextLayout) => void>([
  ["ul", (layout) => layout.endList()],
  ["ol", (layout) => layout.endList()],
  ["blockquote", (layout) => layout.endQuote()],
  ["pre", (layout) => layout.endPre()],
]);

/**
 * Converts HTML to readable text: blank lines between paragraphs, list markers, links as `text (https://…)`,
 * alternative texts of images and image maps, one line per table row. Accepts any input in linear time and memory: it reads
 * tokens, since a parser with a stack of open elements takes quadratic time on deep nesting.
 */
export function textFromHtml(html: string): string {
  const layout = new TextLayout(TEXT_CHARS_MAX);
  const reader = new HtmlReader(html, layout);
  const tokenizer = new Tokenizer({}, reader);
  reader.onfull = () => tokenizer.pause();
  tokenizer.write(html);
  tokenizer.end();
  reader.endLink();
  return layout.text;
}

type Attributes = Partial<Record<"alt" | "hidden" | "href" | "style", string>>;

/** Receives tokenizer callbacks and passes visible text to the layout. */
class HtmlReader {
  onfull = () => {};
  #html: string;
  #layout: TextLayout;
  #tag = "";
  #attributes: Attributes = {};
  #attribute = "";
  #value = "";
  #hidden: HiddenElement | null = null;
  #link: { url: string; text: string } | null = null;

  constructor(html: string, layout: TextLayout) {
    this.#html = html;
    this.#layout = layout;
  }

  ontext(start: number, end: number) {
    this.#show(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number) {
    this.#show(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number) {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#attributes = {};
  }

  onattribname(start: number, end: number) {
    this.#attribute = this.#html.slice(start, end).toLowerCase();
    this.#value = "";
  }

  onattribdata(start: number, end: number) {
    this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number) {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend() {
    const name = this.#attribute;
    if (name === "alt" || name === "hidden" || name === "href" || name === "style") {
      this.#attributes[name] ??= this.#value;
    }
  }

  onopentagend() {
    this.#open(this.#tag);
  }

  onselfclosingtag() {
    this.#open(this.#tag);
    if (this.#tag === "svg" || this.#tag === "xml") this.#close(this.#tag);
  }

  onclosetag(start: number, end: number) {
    this.#close(this.#html.slice(start, end).toLowerCase());
  }

  oncdata() {}
  oncomment() {}
  ondeclaration() {}
  onprocessinginstruction() {}
  onend() {}

  #open(tag: string) {
    if (this.#hidden && !this.#hidden.endsBefore(tag, isBlock(tag))) return;
    this.#hidden = null;
    const { hidden, style = "" } = this.#attributes;
    if (isHidden(tag, style, hidden !== undefined)) {
      this.#hidden = VOID.has(tag) ? null : new HiddenElement(tag);
      return;
    }
    this.#break(tag);
    OPENING.get(tag)?.(this.#layout);
    if (tag === "a") this.#startLink(this.#attributes.href);
    if (tag === "img") this.#show(this.#attributes.alt);
    if (tag === "area") this.#showArea();
  }

  #close(tag: string) {
    if (this.#hidden && !this.#hidden.endsWith(tag)) return;
    this.#hidden = null;
    this.#break(tag);
    CLOSING.get(tag)?.(this.#layout);
    if (tag === "a") this.endLink();
  }

  #break(tag: string) {
    if (PARAGRAPHS.has(tag)) this.#layout.breakTo(2);
    else if (BLOCKS.has(tag)) this.#layout.breakTo(1);
  }

  #show(text = "") {
    if (this.#hidden) return;
    if (this.#link) this.#link.text += text;
    this.#layout.words(text);
    if (this.#layout.isFull) this.onfull();
  }

  /** A link of an image map. */
  #showArea() {
    this.#layout.space(" ");
    this.#startLink(this.#attributes.href);
    this.#show(this.#attributes.alt);
    this.endLink();
    this.#layout.space(" ");
  }

  /** Links don't nest. */
  #startLink(href = "") {
    this.endLink();
    this.#link = { url: shownUrl(href), text: "" };
  }

  endLink() {
    const link = this.#link;
    this.#link = null;
    if (!link?.url) return;
    const text = link.text.trim();
    if (text === "") this.#layout.words(link.url);
    else if (bareUrl(encoded(text)) !== bareUrl(link.url)) this.#layout.trailing(`(${link.url})`);
  }
}

const isBlock = (tag: string): boolean =>
  PARAGRAPHS.has(tag) || BLOCKS.has(tag) || OPENING.has(tag);

function rule(layout: TextLayout) {
  layout.breakTo(2);
  layout.words("---");
  layout.breakTo(2);
}

/** Schemes of links that make no sense outside the HTML. */
const NO_TARGET = /^(?:javascript|vbscript|data|cid|blob|about):/i;

/**
 * Returns the target of a link as text: an absolute URL of any scheme, as browsers read it, or a mail address. "" for
 * targets that make no sense outside the HTML.
 */
function shownUrl(href: string): string {
  const trimmed = href
    .replace(/[\t\n\r]+/g, "")
    .replace(/^[\0-\x20]+/, "")
    .trimEnd();
  const url = encoded(trimmed.startsWith("//") ? `https:${trimmed}` : trimmed);
  // A single letter is a Windows drive.
  if (!/^[a-z][a-z\d+.-]+:\/*[^/]/i.test(url) || NO_TARGET.test(url)) return "";
  const [, address] = /^mailto:([^?]*)/i.exec(url) ?? [];
  return address ?? url;
}

/** Percent-encodes what ends a URL in text. */
const encoded = (url: string) => url.replace(/[\s\p{Cc}<>"]/gu, encodeURIComponent);

function bareUrl(url: string): string {
  // People write phone numbers with spaces.
  const bare =
    /^(?:tel|sms):/i.test(url) || /^\+?[\d().%-]+$/.test(url)
      ? url.replace(/%20|[().-]/g, "")
      : url;
  return bare
    .replace(/^(?:https?:\/\/|mailto:|tel:|sms:)/i, "")
    .replace(/\/$/, "")
    .toLowerCase();
}

const NEVER_SHOWN = new Set([
  "script",
  "style",
  "title",
  "template",
  "xml",
  "svg",
  "iframe",
  "noembed",
  "noframes",
  "select",
  "textarea",
]);

/** Elements whose end tag is optional: the next sibling or the end of the parent closes them. */
const OPTIONAL_END = new Set(["li", "td", "th", "tr", "dd", "dt"]);

const HOLDERS = new Set(["ul", "ol", "dl", "table"]);
const CELLS = new Set(["td", "th"]);

const HIDDEN_STYLE = /(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)/i;

/** Whether the element is invisible, such as a script or a preheader. */
const isHidden = (name: string, style: string, hasHidden: boolean): boolean =>
  NEVER_SHOWN.has(name) || hasHidden || HIDDEN_STYLE.test(style);

/** Finds the end of a hidden element with counters alone, whatever its depth. */
class HiddenElement {
  #name: string;
  #same = 0;
  #holders = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Whether this opening tag implies that the hidden element has ended. */
  endsBefore(name: string, isBlock: boolean): boolean {
    if (this.#name === "p" && isBlock) return true;
    const isNext = name === this.#name || (CELLS.has(name) && CELLS.has(this.#name));
    if (isNext && OPTIONAL_END.has(name)) return this.#holders === 0;
    if (name === this.#name) this.#same++;
    if (HOLDERS.has(name)) this.#holders++;
    return false;
  }

  /** Whether this closing tag ends the hidden element. */
  endsWith(name: string): boolean {
    if (OPTIONAL_END.has(this.#name)) return this.#endsOptionally(name);
    if (name !== this.#name) return false;
    return this.#same-- === 0;
  }

  #endsOptionally(name: string): boolean {
    if (this.#holders > 0) {
      if (HOLDERS.has(name)) this.#holders--;
      return false;
    }
    return name === this.#name || HOLDERS.has(name) || (name === "tr" && CELLS.has(this.#name));
  }
}
