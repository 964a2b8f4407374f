import { Tokenizer } from "htmlparser2";

import { signClick, signOpen } from "./tracking-token.ts";

/**
 * The longest tracked URL in octets: its token then fits the 8,000 octets that RFC 9110 section 4.1
 * recommends to support.
 */
const URL_OCTETS_MAX = 5_800;

const LINE_BREAKS = /[\t\n\r]/g;

const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** Bounds the growth of a message: further links aren't tracked. */
const LINKS_MAX = 5_000;

export type Tracking = {
  emailId: string;
  /** Without trailing slash. */
  baseUrl: string;
  opens: boolean;
  clicks: boolean;
  /** The List-Unsubscribe header: its links aren't tracked. */
  listUnsubscribe?: string | undefined;
};

/** Replaces the text from `start` to `end`. */
type Edit = { start: number; end: number; text: string };

/**
 * Rewrites links to `{baseUrl}/t/c/…` and adds the tracking image at the end of the body. Everything else
 * stays byte for byte; an empty document stays empty. Accepts any input in linear time and memory.
 *
 * Only an absolute http or https URL in the `href` of an `a` or `area` is rewritten. Exceptions:
 * - unsubscribe links, listed in List-Unsubscribe or with `unsubscribe` in the URL: they must work in one
 *   step, untracked, and for longer than tracked links;
 * - elements with the attribute `data-no-track`;
 * - links in comments, including conditional ones: a mistake in markup for one mail program would break its
 *   layout;
 * - links that are already tracked.
 */
export function trackHtml(html: string, tracking: Tracking): string {
  // With an image it would no longer be empty, and would hide the text part.
  if (html.trim() === "") return html;
  const document = `${html}<x>`;
  const reader = new LinkReader(document, html.length);
  const tokenizer = new Tokenizer({}, reader);
  tokenizer.write(document);
  tokenizer.end();

  const edits = tracking.clicks ? linkEdits(reader.links, tracking) : [];
  if (tracking.opens) edits.push(pixelEdit(reader.endOfBody, tracking));
  return apply(edits, html);
}

function linkEdits(links: Link[], { emailId, baseUrl, listUnsubscribe = "" }: Tracking): Edit[] {
  const wayOut = new Set(
    Array.from(listUnsubscribe.matchAll(/<([^<>]*)>/g), ([, url]) => URL.parse(url!)?.href),
  );
  const trackedAlready = `${baseUrl}/t/`;
  const edits: Edit[] = [];
  for (const { start, end, href } of links) {
    if (edits.length === LINKS_MAX) break;
    const url = trackableUrl(href);
    if (url === null || /unsubscribe/i.test(url)) continue;
    if (wayOut.size > 0 && wayOut.has(URL.parse(url)?.href)) continue;
    if (url.startsWith(trackedAlready)) continue;
    edits.push({ start, end, text: `${baseUrl}/t/c/${signClick({ emailId, url })}` });
  }
  return edits;
}

function pixelEdit(at: number, { emailId, baseUrl }: Tracking): Edit {
  const src = `${baseUrl}/t/o/${signOpen(emailId)}`;
  const text = `<img src="${src}" width="1" height="1" alt="" style="display:block;border:0">`;
  return { start: at, end: at, text };
}

function apply(edits: Edit[], html: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    pieces.push(html.slice(done, start), text);
    done = end;
  }
  return pieces.join("") + html.slice(done);
}

/**
 * The URL of a link that can be tracked: absolute http or https. Strips surrounding spaces and line breaks
 * like the URL standard. Null for anything else.
 *
 * @param href the attribute's value, entities decoded
 */
function trackableUrl(href: string): string | null {
  const url = withoutSpaceAround(href.replace(LINE_BREAKS, ""));
  const isTrackable =
    /^https?:\/\//i.test(url) &&
    Buffer.byteLength(url) <= URL_OCTETS_MAX &&
    !CONTROLS.test(url) &&
    url.isWellFormed() &&
    URL.canParse(url);
  return isTrackable ? url : null;
}

/** Not `trim`, which strips more than the URL standard. */
function withoutSpaceAround(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === " ") start++;
  while (end > start && text[end - 1] === " ") end--;
  return text.slice(start, end);
}

/** The `href` attribute of a link. */
type Link = {
  /** Range of the value in the document, excluding quotes. */
  start: number;
  end: number;
  /** The value with entities decoded. */
  href: string;
};

const LINK_TAGS = new Set(["a", "area"]);
const TAG_CHARS_MAX = 4;

const UP_TO_VALUE = /[\t\n\f\r ]*=[\t\n\f\r ]*["']?/y;

/**
 * Receives tokenizer callbacks and collects a document's links and the end of its body. The document is
 * followed by an extra element `<x>`: if the tokenizer doesn't report it, the document ends inside an
 * unfinished construct, such as a comment.
 */
class LinkReader {
  readonly links: Link[] = [];
  #document: string;
  #length: number;
  #endsInText = false;
  #bodyEnd: number | null = null;
  /** Where the latest tag begins. */
  #tagAt = 0;
  #isLink = false;
  #link: Link | null = null;
  #opensOut = false;
  /** End of the name of the href attribute that is being read. */
  #hrefNameEnd: number | null = null;
  #value = "";

  /**
   * @param document with the extra element
   * @param length of the document without it
   */
  constructor(document: string, length: number) {
    this.#document = document;
    this.#length = length;
  }

  /** Where to insert content into the body: before its end tag, if there is one. */
  get endOfBody(): number {
    return this.#bodyEnd ?? (this.#endsInText ? this.#length : this.#tagAt);
  }

  onopentagname(start: number, end: number) {
    if (start > this.#length) {
      this.#endsInText = true;
      return;
    }
    this.#tagAt = start - 1;
    this.#link = null;
    this.#opensOut = false;
    this.#isLink = end - start <= TAG_CHARS_MAX && LINK_TAGS.has(this.#lower(start, end));
  }

  onattribname(start: number, end: number) {
    this.#hrefNameEnd = null;
    if (!this.#isLink) return;
    const name = this.#lower(start, end);
    // The first of duplicate attributes counts (HTML section 13.2.5.33).
    if (name === "href" && this.#link === null) {
      this.#hrefNameEnd = end;
      this.#value = "";
    } else if (name === "data-no-track") this.#opensOut = true;
  }

  onattribdata(start: number, end: number) {
    if (this.#hrefNameEnd !== null) this.#value += this.#document.slice(start, end);
  }

  onattribentity(codePoint: number) {
    if (this.#hrefNameEnd !== null) this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(quote: number, end: number) {
    if (this.#hrefNameEnd === null) return;
    UP_TO_VALUE.lastIndex = this.#hrefNameEnd;
    const hasValue = UP_TO_VALUE.test(this.#document);
    const start = hasValue ? UP_TO_VALUE.lastIndex : end;
    this.#link = { start, end: quote > 1 ? end - 1 : end, href: this.#value };
    this.#hrefNameEnd = null;
  }

  onopentagend(end: number) {
    // Not a tag that only the extra element closes.
    if (this.#link && !this.#opensOut && end < this.#length) this.links.push(this.#link);
    this.#link = null;
  }

  onselfclosingtag(end: number) {
    this.onopentagend(end);
  }

  onclosetag(start: number, end: number) {
    this.#tagAt = start - 2;
    if (end - start <= TAG_CHARS_MAX && this.#lower(start, end) === "body")
      this.#bodyEnd = start - 2;
  }

  ontext() {}
  ontextentity() {}
  oncdata() {}
  oncomment() {}
  ondeclaration() {}
  onprocessinginstruction() {}
  onend() {}

  #lower(start: number, end: number): string {
    return this.#document.slice(start, end).toLowerCase();
  }
}
