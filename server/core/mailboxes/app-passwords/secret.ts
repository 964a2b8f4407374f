import { createHash, randomInt } from "node:crypto";

/** Letters that look like no other letter or digit. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz";
const GROUPS = 5;
const GROUP_LENGTH = 4;

/** A new app password: 20 letters (90 bits) in groups, to be typed as it stands. */
export function newAppPassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]!).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

/** What is kept of it: hex SHA-256. Nobody guesses 90 bits, so a fast hash is enough. */
export const hashAppPassword = (secret: string) =>
  createHash("sha256").update(secret).digest("hex");
