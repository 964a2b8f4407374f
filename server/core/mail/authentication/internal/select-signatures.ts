import { domainToASCII } from "node:url";

import type { Message } from "#server/core/shared/mime/message.ts";

// Legitimate mail has up to four: the author's, the provider's and a mailing list's.
const SIGNATURES_MAX = 8;
const SIGNED_NAMES_MAX = 300;
// RFC 8617 allows 50, but each costs a DNS lookup.
const ARC_SETS_MAX = 10;

const ARC = ["arc-seal", "arc-message-signature", "arc-authentication-results"];

export type SelectedSignatures = {
  hasSignatures: boolean;
  arcFields: number;
  isChainTooLong: boolean;
  /** The names of the keys in DNS. */
  keyNames: string[];
};

/** The tags of a signature that decide whether it is checked. `h` is without whitespace. */
type SignatureTags = { h?: string; l?: unknown; a?: string };

/**
 * Decides which DKIM signatures are checked: the first eight that are meaningful. One with `l=` lets anyone append to
 * the body, one that doesn't cover From proves nothing (RFC 6376, 5.4, 8.2), and SHA-1 can be forged (RFC 8301, 3.1).
 * The limits bound the work that a malicious message can cause.
 */
export function signatureFilter(): (tags: SignatureTags) => boolean {
  let checked = 0;
  return (tags) => checked < SIGNATURES_MAX && isWorthChecking(tags) && ++checked > 0;
}

function isWorthChecking({ h = "", l, a }: SignatureTags): boolean {
  const names = h.toLowerCase().split(":");
  return (
    names.length <= SIGNED_NAMES_MAX &&
    names.includes("from") &&
    l === undefined &&
    a?.toLowerCase() !== "rsa-sha1"
  );
}

/** Lists what a message's signatures and ARC sets need, without checking them. */
export function selectSignatures(message: Message): SelectedSignatures {
  const arcFields = message.fields.filter(({ name }) => ARC.includes(name));
  const isChainTooLong = arcFields.length > ARC_SETS_MAX * ARC.length;
  const tagsOf = (name: string) => message.values(name).map(readTags);
  const isChecked = signatureFilter();
  const signatures = tagsOf("dkim-signature").filter(isChecked);
  const ofSets = isChainTooLong
    ? []
    : [
        ...tagsOf("arc-seal"),
        // Only the newest one is checked.
        ...tagsOf("arc-message-signature")
          .toSorted((a, b) => Number(b.i) - Number(a.i))
          .slice(0, 1),
      ];
  return {
    hasSignatures: signatures.length > 0,
    arcFields: isChainTooLong ? 0 : arcFields.length,
    isChainTooLong,
    keyNames: [
      ...new Set([...signatures, ...ofSets].flatMap(({ s, d }) => (s && d ? keyName(s, d) : []))),
    ],
  };
}

/** Where a key is in DNS, in lowercase A-labels (RFC 8616, 4). */
function keyName(selector: string, domain: string): string {
  const name = `${selector}._domainkey.${domain}`.toLowerCase();
  return /^[\x00-\x7f]*$/.test(name) ? name : domainToASCII(name) || name;
}

/** Tags by lowercase name (RFC 6376, 3.2). Values are without whitespace, which only folding puts there. */
function readTags(value: string): Partial<Record<string, string>> {
  const tags: Partial<Record<string, string>> = {};
  const text = Buffer.from(value, "latin1").toString().replace(/\s+/g, "");
  for (const tag of text.split(";")) {
    const at = tag.indexOf("=");
    if (at > 0) tags[tag.slice(0, at).toLowerCase()] = tag.slice(at + 1);
  }
  return tags;
}
