const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|quot|apos|lt|gt|lpar|rpar|commat|colon));?/gi;
const NAMED: Record<string, string> = {
  amp: "&",
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  lpar: "(",
  rpar: ")",
  commat: "@",
  colon: ":",
};
const ENCODED = /(?:%[\da-f]{2})+/gi;
/** What can follow a reference: the end of an attribute, of `url()`, or of the text. */
const END = String.raw`(?=[\s"'<>);,\\]|$)`;

/**
 * Finds which files HTML shows by `cid:` URLs (RFC 2392), written with or without entities and percent-encoding. Comments
 * count: Outlook reads conditional ones.
 *
 * @returns whether the HTML refers to a content ID, given without angle brackets
 */
export function contentReferences(html: string | null): (contentId: string | null) => boolean {
  let forms: string[] | null = null;
  return (contentId) => {
    if (contentId === null || !html) return false;
    forms ??= readForms(html);
    const reference = new RegExp(`cid:${RegExp.escape(contentId)}${END}`, "i");
    return forms.some((form) => reference.test(form));
  };
}

function readForms(html: string): string[] {
  const forms = contentIdForms(html);
  return /cid:/i.test(forms[0]!) ? forms : [];
}

/** HTML or an attribute without entities, as it is and percent-decoded. */
export function contentIdForms(html: string): string[] {
  const plain = html.replace(ENTITY, decodeEntity);
  return [plain, plain.replace(ENCODED, decodePercent)];
}

function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()]!;
  const code = decimal === undefined ? parseInt(hex!, 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}

/** Text that isn't UTF-8 stays as it is. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
