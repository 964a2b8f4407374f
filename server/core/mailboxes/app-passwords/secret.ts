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

/** Hex SHA-256. A fast hash is enough for 90 random bits. */
export const hashAppPassword = (secret: string) =>
  createHash("sha256").update(secret).digest("hex");
