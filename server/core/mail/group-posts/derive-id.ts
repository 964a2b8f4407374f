import { createHash } from "node:crypto";

import { v7 as uuidv7, validate, version } from "uuid";

/** Hexadecimal digits of a UUIDv7 that are its time. */
const TIME_DIGITS = 12;

/**
 * A UUIDv7 that follows from another id and a word, whenever it is asked for: that is what makes a
 * repetition find what the first run has left. It has the time of an id that has one, else none.
 */
export function deriveId(id: string, word: string): string {
  const msecs =
    validate(id) && version(id) === 7
      ? Number.parseInt(id.replaceAll("-", "").slice(0, TIME_DIGITS), 16)
      : 0;
  const random = createHash("sha256").update(`${id} ${word}`).digest().subarray(0, 16);
  return uuidv7({ msecs, random });
}
