const INDENT_LEVELS_MAX = 8;
const SPACE = /[ \t\r\n\f\u00a0]+/;
/** Padding of preview texts: soft hyphen, grapheme joiner, zero-width space, byte order mark. */
const INVISIBLE = /[\u00ad\u034f\u200b\ufeff]+/g;

type List = { ordered: boolean; items: number };

/**
 * Lays out words as plain text. Breaks and spaces are deferred until the next word, so that there is no
 * leading or trailing white space and at most one blank line in a row.
 */
export class TextLayout {
  #text = "";
  #breaks = 0;
  #space = "";
  #marker = "";
  #quotes = 0;
  #pre = 0;
  #isPreStart = false;
  #lists: List[] = [];
  #charsMax: number;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  get text(): string {
    return this.#text.slice(0, this.#charsMax).trimEnd();
  }

  get isFull(): boolean {
    return this.#text.length >= this.#charsMax;
  }

  /** White space separates words, except in preformatted text. */
  words(text: string) {
    if (this.#pre > 0) {
      this.#preformatted(text);
      return;
    }
    const words = text.replace(INVISIBLE, "").split(SPACE);
    for (const [i, word] of words.entries()) {
      if (i > 0) this.space(" ");
      if (word) this.#write(word);
    }
  }

  /** Adds a word to the current line, even if a break is pending. */
  trailing(word: string) {
    const [breaks, marker] = [this.#breaks, this.#marker];
    this.#breaks = 0;
    this.#space = " ";
    this.#write(word);
    this.#breaks = breaks;
    this.#marker = marker;
  }

  space(space: string) {
    if (this.#space.length < space.length) this.#space = space;
  }

  /** Starts the next word on a new line (1) or after a blank line (2). */
  breakTo(breaks: 1 | 2) {
    this.#space = "";
    if (!this.#marker) this.#breaks = Math.max(this.#breaks, breaks);
  }

  lineBreak() {
    this.#space = "";
    if (this.#breaks < 2 || this.#pre > 0) this.#breaks++;
  }

  startList(ordered: boolean) {
    this.breakTo(this.#lists.length > 0 ? 1 : 2);
    this.#lists.push({ ordered, items: 0 });
  }

  endList() {
    this.#lists.pop();
    this.#marker = "";
    this.breakTo(this.#lists.length > 0 ? 1 : 2);
  }

  startItem() {
    this.#marker = "";
    this.breakTo(1);
    const list = this.#lists.at(-1);
    if (list) list.items++;
    this.#marker = list?.ordered ? `${list.items}. ` : "- ";
  }

  startQuote() {
    this.breakTo(2);
    this.#quotes++;
  }

  endQuote() {
    this.#quotes = Math.max(0, this.#quotes - 1);
    this.breakTo(2);
  }

  startPre() {
    this.breakTo(2);
    this.#pre++;
    this.#isPreStart = true;
  }

  endPre() {
    this.#pre = Math.max(0, this.#pre - 1);
    this.#breaks = 0;
    this.breakTo(2);
  }

  #preformatted(text: string) {
    const lines = text.split(/\r\n|\r|\n/);
    // A line end right after the opening tag isn't content.
    if (this.#isPreStart && lines[0] === "") lines.shift();
    this.#isPreStart = false;
    for (const [i, line] of lines.entries()) {
      if (i > 0) {
        this.#breaks++;
        this.#space = "";
      }
      const words = line.trimStart();
      this.#space += line.slice(0, line.length - words.length);
      if (words) this.#write(words);
    }
  }

  #write(word: string) {
    if (this.isFull) return;
    const atLineStart = this.#text === "" || this.#breaks > 0;
    if (this.#text !== "") this.#text += "\n".repeat(this.#breaks);
    if (atLineStart) this.#text += this.#prefix();
    if (!atLineStart || this.#pre > 0) this.#text += this.#space;
    this.#text += word;
    this.#breaks = 0;
    this.#space = "";
    this.#marker = "";
  }

  #prefix(): string {
    const quotes = "> ".repeat(Math.min(this.#quotes, INDENT_LEVELS_MAX));
    const levels = Math.min(this.#lists.length, INDENT_LEVELS_MAX);
    return quotes + "  ".repeat(this.#marker ? Math.max(levels - 1, 0) : levels) + this.#marker;
  }
}
