import { fieldValue, headerFields, withoutFields } from "#server/core/shared/mime/header-fields.ts";

/**
 * Removes the signatures of these keys (RFC 6376, 3.5): a message resent from a mail app carries the one from
 * its first delivery, which may be broken by now. Signatures of others stay.
 */
export function removeSignature(
  message: Buffer,
  { domain, keys }: { domain: string; keys: { selector: string }[] },
): Buffer {
  const own = headerFields(message).filter((field) => {
    if (field.name !== "dkim-signature") return false;
    const tags = parseTags(fieldValue(message, field));
    const selector = tags.get("s")?.toLowerCase();
    return tags.get("d")?.toLowerCase() === domain && keys.some((key) => key.selector === selector);
  });
  return withoutFields(message, own);
}

function parseTags(value: string): Map<string, string> {
  return new Map(
    value.split(";").map((tag) => {
      const equals = tag.indexOf("=");
      const text = tag.slice(equals + 1).replace(/\s+/g, "");
      return [tag.slice(0, Math.max(equals, 0)).trim(), text];
    }),
  );
}
