/** Characters that XML 1.0 §2.2 doesn't allow. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes text for an element or attribute; drops characters that XML can't represent. */
export function xmlText(text: string): string {
  return text.replace(NOT_IN_XML, "").replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
