import {
  fieldValue,
  headerEnd,
  type HeaderField,
  headerFields,
} from "#server/core/shared/mime/header-fields.ts";

// Legitimate mail has up to four: the author's, the provider's and a mailing list's.
const SIGNATURES_MAX = 8;
const SIGNED_NAMES_MAX = 300;
// RFC 8617 allows 50, but each costs a DNS lookup.
const ARC_SETS_MAX = 10;

const ARC = ["arc-seal", "arc-message-signature", "arc-authentication-results"];

export type SelectedSignatures = {
  /** The message without the signatures that aren't checked. */
  pieces: Buffer[];
  hasSignatures: boolean;
  arcSets: number;
  isChainTooLong: boolean;
};

/**
 * Selects the signatures to check: the first eight DKIM signatures that are meaningful, and the ARC sets. A DKIM
 * signature with `l=` lets anyone append to the body, one that doesn't cover From proves nothing (RFC 6376,
 * 5.4, 8.2), and SHA-1 can be forged (RFC 8301, 3.1). The limits bound the work that a malicious message can cause.
 */
export function selectSignatures(content: Buffer): SelectedSignatures {
  const fields = headerFields(content);
  const arcFields = fields.filter(({ name }) => ARC.includes(name));
  const isChainTooLong = arcFields.length > ARC_SETS_MAX * ARC.length;
  let signatures = 0;
  const isChecked = (field: HeaderField) => {
    if (field.name === "dkim-signature")
      return (
        signatures < SIGNATURES_MAX && isWorthChecking(fieldValue(content, field)) && !!++signatures
      );
    return !isChainTooLong || !ARC.includes(field.name);
  };
  const pieces = fields.filter(isChecked).map(({ start, end }) => content.subarray(start, end));
  return {
    pieces: [...pieces, content.subarray(headerEnd(content))],
    hasSignatures: signatures > 0,
    arcSets: isChainTooLong ? 0 : arcFields.length,
    isChainTooLong,
  };
}

function isWorthChecking(signature: string): boolean {
  const tags = signature.replace(/\s+/g, "").split(";");
  const names =
    tags
      .find((tag) => tag.startsWith("h="))
      ?.slice(2)
      .toLowerCase()
      .split(":") ?? [];
  return (
    names.length <= SIGNED_NAMES_MAX &&
    names.includes("from") &&
    !tags.some((tag) => tag.startsWith("l=") || /^a=rsa-sha1$/i.test(tag))
  );
}
