import { parseAddress, readDomain } from "#server/core/shared/addresses/parse-address.ts";

/** Whom a From field names. */
export type Author = {
  /** Lowercase; null where it is not one plain address. */
  address: string | null;
  /** The domain that answers for the message; null where there is none, or more than one address. */
  domain: string | null;
  /** How many addresses the field has. A text without @ is none. */
  addresses: number;
};

/**
 * Reads a From field as mail apps do, which is more kindly than RFC 5322 is: commas in a name, comments,
 * a name that looks like an address. What counts is the address in angle brackets, or else the bare one.
 *
 * @param value in latin1, unfolded
 */
export function readAuthor(value: string): Author {
  const found = items(value).flatMap((item) => addressOf(item) ?? []);
  const [first] = found;
  if (first === undefined || found.length > 1)
    return { address: null, domain: null, addresses: found.length };
  const domain = /[<>]/.test(first) ? null : readDomain(first.slice(first.lastIndexOf("@") + 1));
  return { address: domain && (parseAddress(first)?.address ?? null), domain, addresses: 1 };
}

function addressOf(item: string): string | null {
  const open = item.indexOf("<");
  const text = open === -1 ? item : item.slice(open + 1).replace(/>[^<>@]*$/, "");
  return item.includes("@") ? text.trim() : null;
}

/** What stands between commas, without comments and quoted text. */
function items(value: string): string[] {
  const found = [""];
  const state = { depth: 0, inQuotes: false, inBrackets: false };
  for (let at = 0; at < value.length; at++) {
    const char = value[at]!;
    // What is escaped neither ends nor begins anything.
    if (char === "\\" && (state.inQuotes || state.depth > 0)) at++;
    else if (!isText(char, state)) continue;
    else if (char === "," && !state.inBrackets) found.push("");
    else found.push(found.pop()! + char);
  }
  return found;
}

/** Moves the state on, and says whether the character is part of an address or a name without quotes. */
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
