import { randomInt } from "node:crypto";

const LENGTH = 20;

/** Letters and digits that nobody takes for another when reading them out: no 0, O, 1, I or l. */
const CHARACTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A password to be handed over once and changed then: 20 characters, 116 bits. */
export const newTemporaryPassword = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join("");
