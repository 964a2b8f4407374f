import { isIPv4, isIPv6 } from "node:net";

/** A parsed term of an SPF record (RFC 7208 §4.6.1). */
export type SpfTerm = {
  text: string;
  /** Null for modifiers such as `redirect=`. */
  qualifier: "+" | "-" | "~" | "?" | null;
  /** Lower case. */
  name: string;
  /** The part after `:`, `=` or `/`; null if there is none. */
  value: string | null;
  /** A short description of the error that makes receivers ignore the whole record (§4.6); null if valid. */
  error: string | null;
};

/** Whether the text is an SPF record, by its first word (RFC 7208 §4.5). */
export const isSpf = (text: string) => /^v=spf1( |$)/i.test(text);

/** Parses the terms of an SPF record in order. Check `isSpf` first. */
export function readSpf(text: string): SpfTerm[] {
  return text
    .slice("v=spf1".length)
    .split(" ")
    .filter((term) => term !== "")
    .map(readTerm);
}

function readTerm(text: string): SpfTerm {
  const modifier = /^([a-z][a-z0-9_.-]*)=(.*)$/i.exec(text);
  if (modifier) {
    const [, name, value] = modifier;
    const error = name!.toLowerCase() === "redirect" && !value ? "doesn't name a domain" : null;
    return { text, qualifier: null, name: name!.toLowerCase(), value: value!, error };
  }
  const [, sign, name, rest] = /^([+?~-]?)([^:/]*)(.*)$/s.exec(text)!;
  const value = rest === "" ? null : rest!.replace(/^:/, "");
  const term = { text, qualifier: (sign || "+") as "+", name: name!.toLowerCase(), value };
  return { ...term, error: findError(term) };
}

const CIDR = /(\/\d{1,2})?(\/\/\d{1,3})?$/;

type Rule = { isGood: (value: string | null) => boolean; error: string };

const DOMAIN: Rule = {
  isGood: (value) => value !== null && isDomainSpec(value),
  error: "doesn't name a domain",
};
const DOMAIN_OR_NONE: Rule = {
  isGood: (value) => value === null || isDomainSpec(value.replace(CIDR, ""), true),
  error: "does not name a domain",
};

/** What may follow each mechanism (RFC 7208 §5). */
const RULES: Record<string, Rule> = {
  all: { isGood: (value) => value === null, error: "doesn't take a value" },
  include: DOMAIN,
  exists: DOMAIN,
  a: DOMAIN_OR_NONE,
  mx: DOMAIN_OR_NONE,
  ptr: DOMAIN_OR_NONE,
  ip4: { isGood: (value) => isRange(value, isIPv4, 32), error: "is not an IPv4 address or range" },
  ip6: { isGood: (value) => isRange(value, isIPv6, 128), error: "is not an IPv6 address or range" },
};

function findError({ name, value }: Pick<SpfTerm, "name" | "value">): string | null {
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (!rule) return "is not a known SPF term";
  return rule.isGood(value) ? null : rule.error;
}

/** Macros (§7) are left to the receiver. */
function isDomainSpec(text: string, mayBeEmpty = false): boolean {
  return text === ""
    ? mayBeEmpty
    : /^[\x21-\x2e\x30-\x7e]+$/.test(text.replace(/%\{[^}]*\}/g, "x"));
}

function isRange(value: string | null, isAddress: (text: string) => boolean, bitsMax: number) {
  const [, address, bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(value ?? "") ?? [];
  return address !== undefined && isAddress(address) && Number(bits ?? 0) <= bitsMax;
}
