import { createHash, randomInt } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const PREFIX = "ph_";
const TEST_PREFIX = "ph_test_";
const TOKEN = /^ph_(test_)?[A-Za-z0-9]{8}_[A-Za-z0-9]{32}$/;

const letters = (count: number) =>
  Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/**
 * Creates an API key: `ph_`, or `ph_test_` for people to tell test keys apart, an 8-character id that can be displayed
 * later, and a 32-character secret.
 */
export function newKeyToken(isTest = false): { token: string; prefix: string } {
  const prefix = `${isTest ? TEST_PREFIX : PREFIX}${letters(8)}`;
  return { token: `${prefix}_${letters(32)}`, prefix };
}

export const isKeyToken = (text: string) => TOKEN.test(text);

/** Hex SHA-256 of the whole token: all that is stored of it. */
export const hashKeyToken = (token: string) => createHash("sha256").update(token).digest("hex");
