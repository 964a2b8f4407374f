import { createHash, randomInt } from "node:crypto";

/** No look-alikes. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz";
const GROUPS = 5;
const GROUP_LENGTH = 4;

/** Creates an app password: 20 letters (90 bits) in groups. */
export function newAppPassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]!).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

/** What people and apps put between or around the letters: spaces, all kinds of dashes, invisible characters. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}\p{Cc}\u2212]/gu;

/**
 * Hex SHA-256 of the form that was shown, whatever the case and the separators. A fast hash is enough for 90 random bits.
 */
export function hashAppPassword(typed: string): string {
  const letters = typed.replaceAll(SEPARATORS, "").toLowerCase();
  const shown = letters.match(/.{1,4}/gsu)?.join("-") ?? "";
  return createHash("sha256").update(shown).digest("hex");
}
