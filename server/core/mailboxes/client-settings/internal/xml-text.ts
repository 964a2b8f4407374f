/** What XML 1.0 §2.2 lets a document hold. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text as it stands in an element or an attribute. Characters that XML cannot hold are left out. */
export function xmlText(text: string): string {
  return text.replace(NOT_IN_XML, "").replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
