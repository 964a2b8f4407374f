import { parseAddress, readSenderDomain } from "#server/core/shared/addresses/parse-address.ts";

/** The author in a From field. */
export type Author = {
  /** Lowercase; null unless there is exactly one valid address. Hosts with underscores or a single label aren't valid here. */
  address: string | null;
  /** The author's domain; null unless there is exactly one address. */
  domain: string | null;
  /** Number of addresses; text without @ isn't one. */
  addresses: number;
};

/**
 * Parses a From field as mail apps do, more leniently than RFC 5322: allows commas in a name, comments, and a
 * name that looks like an address. The address in angle brackets counts, or else the bare one.
 *
 * @param value in latin1, unfolded
 */
export function readAuthor(value: string): Author {
  const found = items(value).flatMap((item) => addressOf(item) ?? []);
  const [first] = found;
  if (first === undefined || found.length > 1)
    return { address: null, domain: null, addresses: found.length };
  const name = first.slice(first.lastIndexOf("@") + 1);
  const domain = /[<>]/.test(first) ? null : readSenderDomain(name);
  return { address: domain && (parseAddress(first)?.address ?? null), domain, addresses: 1 };
}

function addressOf(item: string): string | null {
  const open = item.indexOf("<");
  const text = open === -1 ? item : item.slice(open + 1).replace(/>[^<>@]*$/, "");
  return item.includes("@") ? text.trim() : null;
}

/** Splits at commas and drops comments and quoted text. */
function items(value: string): string[] {
  const found = [""];
  const state = { depth: 0, inQuotes: false, inBrackets: false };
  for (let at = 0; at < value.length; at++) {
    const char = value[at]!;
    // Skip the escaped character.
    if (char === "\\" && (state.inQuotes || state.depth > 0)) at++;
    else if (!isText(char, state)) continue;
    else if (char === "," && !state.inBrackets) found.push("");
    else found.push(found.pop()! + char);
  }
  return found;
}

/** Advances the state; returns whether the character is part of an address or an unquoted name. */
function isText(
  char: string,
  state: { depth: number; inQuotes: boolean; inBrackets: boolean },
): boolean {
  if (state.inQuotes) {
    state.inQuotes = char !== '"';
    return false;
  }
  if (char === "(") state.depth++;
  if (char === ")" && state.depth > 0) {
    state.depth--;
    return false;
  }
  if (state.depth > 0) return false;
  if (char === '"') state.inQuotes = true;
  if (char === "<") state.inBrackets = true;
  if (char === ">") state.inBrackets = false;
  return char !== '"';
}
