import { encodedWords } from "#server/core/shared/mime/encoded-words.ts";

/** What the fields of a list are written from. */
export type List = { address: string; name: string };

/** A header field: its value without the name, folded. */
export type ListField = { name: string; value: string };

const LINE_CHARS_WANTED = 78;

/** A phrase of atoms needs no quotes (RFC 5322, 3.2.3). */
const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;

/** `<team.example.com>` for team@example.com (RFC 2919, 3): the same for as long as the address is. */
export const formatListId = (address: string) => `<${address.replace("@", ".")}>`;

/**
 * What tells a reader of mail that a message came through a list (RFC 2369, RFC 2919). Who wants no
 * more of it writes to the domain's postmaster: the owners of the company, who can take a member off.
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

/** The words of a name. It is somebody's text: what is not plain goes out encoded (RFC 2047, 5). */
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
