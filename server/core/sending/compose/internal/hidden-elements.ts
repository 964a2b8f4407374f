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
export function isHidden(name: string, style: string, hasHidden: boolean): boolean {
  return NEVER_SHOWN.has(name) || hasHidden || HIDDEN_STYLE.test(style);
}

/** Finds the end of a hidden element with counters alone, whatever its depth. */
export class HiddenElement {
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
