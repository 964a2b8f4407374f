import { randomInt } from "node:crypto";

const LENGTH = 20;

/** No look-alikes: no 0, O, 1, I or l. */
const CHARACTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** 20 characters, 116 bits. */
export const newTemporaryPassword = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join("");
