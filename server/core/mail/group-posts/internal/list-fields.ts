import { encodedWords } from "#server/core/shared/mime/encoded-words.ts";

export type List = { address: string; name: string };

/** A header field with a folded value. */
export type ListField = { name: string; value: string };

const LINE_CHARS_WANTED = 78;

// A phrase of atoms needs no quotes (RFC 5322, 3.2.3).
const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;

/** `<team.example.com>` for team@example.com (RFC 2919, 3). */
export const formatListId = (address: string) => `<${address.replace("@", ".")}>`;

/**
 * The list fields of a message (RFC 2369, RFC 2919). Unsubscribe requests go to the domain's postmaster, that is to
 * the company's owners, who can remove a member.
 */
export function listFields({ address, name }: List): ListField[] {
  return [
    { name: "List-Id", value: folded("List-Id", [...phrase(name), formatListId(address)]) },
    { name: "List-Post", value: `<mailto:${address}>` },
    { name: "List-Unsubscribe", value: `<mailto:${unsubscribeAt(address)}>` },
    { name: "Precedence", value: "list" },
  ];
}

function unsubscribeAt(address: string): string {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return `postmaster@${domain}?subject=${encodeURIComponent(`unsubscribe ${address}`)}`;
}

/** The words of a display name, encoded if they aren't plain atoms (RFC 2047, 5). */
function phrase(name: string): string[] {
  if (name === "") return [];
  const isPlain = ATOMS.test(name) && !name.includes("=?");
  return isPlain ? name.split(" ") : encodedWords(name);
}

function folded(field: string, words: string[]): string {
  let width = field.length + 1;
  return words
    .map((word, i) => {
      const fits = i === 0 || width + 1 + word.length <= LINE_CHARS_WANTED;
      width = fits ? width + 1 + word.length : word.length + 1;
      return i === 0 ? word : `${fits ? "" : "\r\n"} ${word}`;
    })
    .join("");
}
