import { domainToASCII } from "node:url";

import { isOneLine } from "#server/core/shared/text.ts";

/** An address with its display name. */
export type ParsedAddress = {
  /** "" if there is none. */
  name: string;
  /** Lowercase, with the domain in A-labels, for storing and comparing. */
  address: string;
  /**
   * Keeps the local part's original case, if it isn't lowercase. For SMTP commands and header fields: only
   * the domain's own server knows whether case matters (RFC 5321, 2.4).
   */
  written?: string;
};

/** Length of the whole text, name included. */
export const ADDRESS_MAX = 320;

/** Octets before the @ (RFC 5321 §4.5.3.1.1). */
export const LOCAL_PART_MAX = 64;
const DOMAIN_MAX = 253;

/** An ASCII dot-atom (RFC 5322 §3.2.3). */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/** Dots anywhere: some providers have assigned addresses with leading, trailing or consecutive dots. */
const DOTTED_LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/;

/** A quoted string without spaces, `@`, `<` and `>`: parsers disagree about those, and smtp-server rejects them. */
const QUOTED_LOCAL_PART = /^"((?:[!#-;=?A-[\]-~]|\\[!-;=?A-~])+)"$/;

const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const ASCII = /^[\x00-\x7f]*$/;

/** A non-ASCII label: letters, marks and digits, so no look-alike of a dot or at sign. */
const UNICODE_LABEL = /^[\p{L}\p{M}\p{N}-]+$/u;

/** Reverses the text after it (UAX #9), so that a name could imitate another address. */
export const BIDI_OVERRIDE = /[\u202a-\u202e\u2066-\u2069]/;

/** The start of an encoded word (RFC 2047), which some readers decode and others show as it is. */
const ENCODED_WORD = /=\?[^?\s]*\?[bq]\?/i;

/**
 * Parses exactly one address, with or without a display name: `ann@example.com`, `Ann <ann@example.com>` or
 * `"Smith, Ann" <ann@example.com>`.
 *
 * The appliance parses addresses only here. The result is what is stored, put into SMTP commands, compared
 * with the suppression list and signed, so that no two parts can understand the same text differently.
 * Rejects lists, groups, comments, routes, quoted local parts, address literals, encoded words, control
 * characters and look-alikes of `.` and `@`.
 */
export const parseAddress = (text: string): ParsedAddress | null =>
  parse(text, (localPart) => (LOCAL_PART.test(localPart) ? localPart : null));

/**
 * Like `parseAddress`, for addresses that mail is sent to and addresses of outside senders, so that everyone who can write
 * can be answered: also accepts the local parts of `readSenderLocalPart`. Never for addresses that are created here.
 */
export const parseRecipient = (text: string): ParsedAddress | null =>
  parse(text, readSenderLocalPart);

/**
 * Reads a local part that another server assigned: with dots anywhere, such as `a..b`, or quoted, such as `"a,b"`. Removes
 * unnecessary backslashes and quotes (RFC 5321, 4.1.2), so that each address has one form. The RFC requires quotes for `a..b`, but
 * everyone writes it without them.
 */
function readSenderLocalPart(text: string): string | null {
  const quoted = QUOTED_LOCAL_PART.exec(text)?.[1];
  if (quoted === undefined) return DOTTED_LOCAL_PART.test(text) ? text : null;
  const content = quoted.replace(/\\(.)/g, "$1");
  return DOTTED_LOCAL_PART.test(content) ? content : `"${content.replace(/["\\]/g, "\\$&")}"`;
}

type LocalPartReader = (text: string) => string | null;

function parse(text: string, readLocalPart: LocalPartReader): ParsedAddress | null {
  if (text.length > ADDRESS_MAX || !isOneLine(text) || BIDI_OVERRIDE.test(text)) return null;
  const trimmed = text.trim();
  if (!trimmed.endsWith(">")) return bare(trimmed, "", readLocalPart);
  const open = trimmed.lastIndexOf("<");
  if (open === -1) return null;
  const name = readDisplayName(trimmed.slice(0, open).trim());
  return name === null ? null : bare(trimmed.slice(open + 1, -1).trim(), name, readLocalPart);
}

function bare(text: string, name: string, readLocalPart: LocalPartReader): ParsedAddress | null {
  const at = text.lastIndexOf("@");
  if (at === -1) return null;
  const localPart = readLocalPart(text.slice(0, at));
  const domain = readDomain(text.slice(at + 1));
  if (!domain || localPart === null || localPart.length > LOCAL_PART_MAX) return null;
  if (localPart.includes("=?")) return null;
  const lowercase = localPart.toLowerCase();
  return {
    name,
    address: `${lowercase}@${domain}`,
    ...(localPart !== lowercase && { written: `${localPart}@${domain}` }),
  };
}

/**
 * A phrase or one quoted string. Outside quotes, characters that could start a second address are rejected.
 */
function readDisplayName(text: string): string | null {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(text);
  const name = quoted ? quoted[1]!.replace(/\\(.)/g, "$1").trim() : text;
  if (ENCODED_WORD.test(name)) return null;
  return !quoted && /["<>@,;:\\]/.test(name) ? null : name;
}

/**
 * Converts a domain name to lowercase A-labels (RFC 5890); null if it is invalid.
 *
 * Unicode labels must be in NFKC: text that normalization would change, such as full-width letters, is a
 * spoofing attempt. Checked before lowercasing, which also folds characters, such as the Kelvin sign to k.
 */
export function readDomain(text: string): string | null {
  const labels = text.split(".");
  for (const label of labels) {
    if (ASCII.test(label) ? !LABEL.test(label) : !isUnicodeLabel(label)) return null;
  }
  const ascii = domainToASCII(text);
  const result = ascii.split(".");
  const fits = ascii.length <= DOMAIN_MAX && result.length >= 2 && result.length === labels.length;
  if (!fits || !result.every((label) => LABEL.test(label)) || /^\d+$/.test(result.at(-1)!))
    return null;
  return ascii;
}

/** A label with underscores, which hosts of senders have although RFC 1123 forbids them. */
const HOST_LABEL = /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;

/**
 * Like `readDomain`, for senders of incoming mail: also accepts underscores and a single label, such as `root@nas`, as
 * other servers do.
 */
export function readSenderDomain(text: string): string | null {
  const labels = text.split(".");
  const isHost = text.length <= DOMAIN_MAX && labels.every((label) => HOST_LABEL.test(label));
  if (!isHost || /^(\d+|0x[\da-f]*)$/i.test(labels.at(-1)!)) return readDomain(text);
  return text.toLowerCase();
}

const isUnicodeLabel = (label: string) =>
  UNICODE_LABEL.test(label) && label.normalize("NFKC") === label;

/** Formats an address as `parseRecipient` reads it: with the local part as written, and a name quoted if necessary. */
export function formatAddress({ name, address, written = address }: ParsedAddress): string {
  if (name === "") return written;
  const plain = `${name} <${written}>`;
  return parseRecipient(plain)?.name === name
    ? plain
    : `"${name.replace(/["\\]/g, "\\$&")}" <${written}>`;
}

/** The domain of an address that parseAddress or parseRecipient returned. */
export const addressDomain = (address: string) => address.slice(address.lastIndexOf("@") + 1);

/** RFC 5321, 4.5.3.1.3: 256 octets including the angle brackets. */
const PATH_OCTETS_MAX = 254;

/**
 * Normalizes the return path of MAIL FROM: the local part as `readSenderLocalPart` reads it, but of any length, since lists
 * and forwarders exceed the 64 octets of RFC 5321; the domain in A-labels or as a hostname with underscores or a single label;
 * "" for the null path. Null for paths that can't be sent in a command.
 */
export function readReversePath(text: string): string | null {
  if (text === "") return "";
  const at = text.lastIndexOf("@");
  const localPart = readSenderLocalPart(text.slice(0, Math.max(at, 0)));
  const domain = readSenderDomain(text.slice(at + 1));
  if (!domain || localPart === null) return null;
  const path = `${localPart}@${domain}`;
  return path.length <= PATH_OCTETS_MAX ? path : null;
}

/** Parses an address without a display name, in lowercase; null for anything else. */
export const readBareAddress = (text: string): string | null =>
  text.includes("<") ? null : (parseAddress(text)?.address ?? null);
