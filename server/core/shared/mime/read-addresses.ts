import { decodeText } from "./charsets.ts";
import { decodeWords } from "./encoded-words.ts";
import { trimmed } from "./header-fields.ts";

/** One entry of an address list, parsed but not decoded, in latin1. */
export type AddressItem = {
  raw: string;
  /** Without comments and quoted text. */
  plain: string;
  /** The display name without quotes, or else the comment. */
  name: string;
  isQuoted: boolean;
  /** What follows the opening bracket; null if there is none. */
  inside: string | null;
  /** The address in brackets, or else the bare one; null without an unquoted @. */
  address: string | null;
  /** What ends the entry: a comma, a semicolon, or nothing. */
  end: string;
};

const LENGTH_MAX = 64 * 1024;
/** In octets, four of which can be one character. */
const ADDRESS_LENGTH_MAX = 1_280;
/** Atoms, dots and quoted strings, and a domain without characters that are syntax in a list. */
const ADDRESS =
  /^(?:[^\x00-\x20\x7f"<>(),:;\\@]|"(?:[^"\\]|\\.)*")+@(?:[^\x00-\x20\x7f"<>(),:;\\@[\]]+|\[[\w.:-]+\])$/;
/** In brackets without an @, such as the id in List-Id. */
const ID = /^[^\x00-\x20\x7f"<>(),:;\\@]+$/;
const EMPTY_GROUP = /^[^",:;<>@()[\]\\]{1,100}:$/;
const SPECIAL = /[",:;<>@()[\]\\]/;

/**
 * Reads the addresses of a field such as To, with groups replaced by their members. Names are decoded after parsing.
 *
 * @param value in latin1, unfolded
 */
export const readAddresses = (value: string): { name: string; address: string }[] =>
  listItems(value).flatMap((item) => {
    const address = validAddress(item);
    return address === null ? [] : [{ name: decodeWords(item.name), address }];
  });

/**
 * The display form of an address field. Names are decoded after parsing, and quoted where they need it: what encoded
 * words decode to is never syntax (RFC 2047, 6.2), so no name reads as an address. What isn't an address is a name.
 *
 * @param value in latin1, unfolded
 * @param lengthMax addresses beyond it are left out
 */
export function formatAddresses(value: string, lengthMax: number): string {
  let text = "";
  for (const item of listItems(value)) {
    const shown = formatItem(item, lengthMax);
    if (text !== "" && text.length + shown.length + 2 > lengthMax) break;
    text += shown === "" || text === "" ? shown : `, ${shown}`;
  }
  return text;
}

function formatItem(item: AddressItem, lengthMax: number): string {
  const { raw, name, isQuoted, inside, address } = item;
  const id = inside === null ? "" : trimmed(inside.replace(/>[^<>]*$/, ""));
  const target = validAddress(item) ?? (ID.test(id) ? id : null);
  if (target !== null) {
    const phrase = formatName(decodeWords(name), lengthMax - target.length - 3, isQuoted);
    return phrase === "" ? target : `${phrase} <${target}>`;
  }
  const text = decodeWords(address ? raw : name);
  if (item.end === ";" && EMPTY_GROUP.test(text)) return `${text};`;
  // The empty address keeps parsers from reading the name as one.
  return text.includes("@")
    ? `${formatName(text, lengthMax - 3, true)} <>`
    : formatName(text, lengthMax, isQuoted);
}

function formatName(decoded: string, lengthMax: number, isQuoted: boolean): string {
  const name = decoded.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  if (name === "") return "";
  if (!isQuoted && !SPECIAL.test(name)) return name.slice(0, lengthMax).toWellFormed();
  const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
  const whole = quoted(name);
  return whole.length > lengthMax
    ? quoted(name.slice(0, Math.floor(lengthMax / 2) - 1).toWellFormed())
    : whole;
}

function validAddress({ address }: AddressItem): string | null {
  const isValid = address !== null && address.length <= ADDRESS_LENGTH_MAX && ADDRESS.test(address);
  return isValid ? decodeText(Buffer.from(address, "latin1"), null) : null;
}

/** The entries; in `Smith, Ann <ann@example.com>`, the comma is part of the name. */
function listItems(value: string): AddressItem[] {
  const items: AddressItem[] = [];
  for (const item of splitAddressItems(value.slice(0, LENGTH_MAX))) {
    const last = items.at(-1);
    const isName = last?.address === null && last.inside === null && last.name !== "";
    if (isName && last.end === "," && item.inside !== null)
      items[items.length - 1] = {
        ...item,
        raw: `${last.raw},${item.raw}`,
        name: `${last.name}, ${item.name}`,
      };
    else items.push(item);
  }
  return items;
}

type State = { depth: number; inQuotes: boolean; inBrackets: boolean };
type Draft = Omit<AddressItem, "raw" | "end" | "address"> & { bare: string; comment: string };

const emptyDraft = (): Draft => ({
  plain: "",
  name: "",
  isQuoted: false,
  inside: null,
  bare: "",
  comment: "",
});

/**
 * Splits an address list as mail apps do, more leniently than RFC 5322: allows semicolons between addresses, and a name
 * that looks like an address.
 *
 * @param value in latin1, unfolded
 */
export function splitAddressItems(value: string): AddressItem[] {
  const items: AddressItem[] = [];
  const state: State = { depth: 0, inQuotes: false, inBrackets: false };
  let [draft, start] = [emptyDraft(), 0];
  for (let at = 0; at < value.length; at++) {
    const char = value[at]!;
    const isEscape = char === "\\" && (state.inQuotes || state.depth > 0);
    const written = isEscape ? value.slice(at, at + 2) : char;
    if (isEscape) at++;
    const kind = advance(char, isEscape, state);
    if (kind !== "separator") append(draft, kind, written);
    else {
      items.push(toItem(draft, value.slice(start, at), char));
      [draft, start] = [emptyDraft(), at + 1];
    }
  }
  return [...items, toItem(draft, value.slice(start), "")];
}

type Kind = "text" | "quote" | "quoted" | "parenthesis" | "comment" | "separator";

/** Advances the state; returns what the character is. */
function advance(char: string, isEscape: boolean, state: State): Kind {
  if (state.inQuotes) {
    state.inQuotes = isEscape || char !== '"';
    return state.inQuotes ? "quoted" : "quote";
  }
  if (state.depth === 0) return advanceOutside(char, state);
  if (char === "(" && !isEscape) state.depth++;
  if (char === ")" && !isEscape) state.depth--;
  return state.depth === 0 ? "parenthesis" : "comment";
}

function advanceOutside(char: string, state: State): Kind {
  switch (char) {
    case '"':
      state.inQuotes = true;
      return "quote";
    case "(":
      state.depth = 1;
      return "parenthesis";
    case ",":
    case ";":
      return state.inBrackets ? "text" : "separator";
    default:
      if (char === "<" || char === ">") state.inBrackets = char === "<";
      return "text";
  }
}

function append(draft: Draft, kind: Kind, written: string): void {
  if (kind === "parenthesis") return;
  if (kind === "comment") {
    draft.comment += written.at(-1)!;
    return;
  }
  if (kind === "text") draft.plain += written;
  if (draft.inside !== null) draft.inside += written;
  else if (kind === "text" && written === "<") draft.inside = "";
  else {
    draft.bare += written;
    if (kind !== "quote") draft.name += written.at(-1)!;
    else draft.isQuoted = true;
  }
}

function toItem({ bare, comment, ...draft }: Draft, raw: string, end: string): AddressItem {
  const { plain, inside } = draft;
  const isNamed = inside !== null || !plain.includes("@");
  const name = isNamed ? trimmed(draft.name) : "";
  const written = inside === null ? withoutGroup(bare) : inside.replace(/>[^<>@]*$/, "");
  return {
    raw,
    plain,
    inside,
    end,
    name: name === "" ? trimmed(comment) : name,
    isQuoted: draft.isQuoted && name !== "",
    address: plain.includes("@") ? trimmed(written) : null,
  };
}

/** The name of a group stands before its first member: `Team: ann@example.com`. */
const withoutGroup = (bare: string) => /^[^@":]*:([^:]*)$/.exec(bare)?.[1] ?? bare;
