/** Characters that XML 1.0 §2.2 doesn't allow. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const REFERENCES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for an element or attribute of HTML or XML; drops characters that XML can't represent. */
export const escapeMarkup = (text: string): string =>
  text.replace(NOT_IN_XML, "").replace(/[&<>"']/g, (character) => REFERENCES[character]!);
