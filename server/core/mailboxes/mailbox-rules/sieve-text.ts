/**
 * A Sieve string (RFC 5228 §2.4.2) of any text without NUL. Only quote and backslash have a meaning in
 * it, lines may be in it, and nothing in it is a variable: no script of ours asks for that extension.
 */
export function sieveString(text: string): string {
  const lines = text.replace(/\r\n?|\n/g, "\r\n");
  return `"${lines.replace(/["\\]/g, "\\$&")}"`;
}

export const sieveList = (texts: string[]): string => `[${texts.map(sieveString).join(", ")}]`;
