import {
  fieldValue,
  headerEnd,
  type HeaderField,
  headerFields,
} from "#server/core/shared/mime/header-fields.ts";

/** Honest mail has up to four: of the author, their provider, a list. */
const SIGNATURES_MAX = 8;
const SIGNED_NAMES_MAX = 300;
/** Of RFC 8617's fifty; each costs a look-up. */
const ARC_SETS_MAX = 10;

const ARC = ["arc-seal", "arc-message-signature", "arc-authentication-results"];

export type SelectedSignatures = {
  /** The message without what is not worth checking. */
  pieces: Buffer[];
  hasSignatures: boolean;
  arcSets: number;
  isChainTooLong: boolean;
};

/**
 * What of a message is checked: the first eight DKIM signatures that say something. One with `l=`
 * leaves an end of the body to anybody, and one that does not sign From proves nothing (RFC 6376, 5.4,
 * 8.2); thousands of them, or thousands of names in one, only cost time.
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
    !tags.some((tag) => tag.startsWith("l="))
  );
}
