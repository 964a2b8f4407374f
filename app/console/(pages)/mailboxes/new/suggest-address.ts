/** Letters that don't consist of an ASCII letter and marks. */
const SPELLINGS: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  þ: "th",
  ı: "i",
  ä: "ae",
  ö: "oe",
  ü: "ue",
};

/** The part before the @ for a person's name: "Zoë Lee" → "zoe.lee". Empty for other alphabets. */
export function suggestLocalPart(name: string): string {
  return name
    .toLowerCase()
    .normalize("NFC")
    .replace(/./gu, (letter) => SPELLINGS[letter] ?? letter)
    .normalize("NFD")
    .replace(/[\p{Mark}'’]/gu, "")
    .split(/[^a-z0-9-]+/)
    .map((word) => word.replace(/^-+|-+$/g, ""))
    .filter(Boolean)
    .join(".");
}
