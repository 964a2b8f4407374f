/** The `href` attribute of a link. */
export type Link = {
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
export class LinkReader {
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
