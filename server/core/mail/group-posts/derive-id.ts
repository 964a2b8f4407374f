import { createHash } from "node:crypto";

import { v7 as uuidv7, validate, version } from "uuid";

/** Hexadecimal digits of a UUIDv7's timestamp. */
const TIME_DIGITS = 12;

/**
 * Derives a UUIDv7 from another id and a word. It is deterministic, so a retry finds what the first run created.
 * Its timestamp is that of `id`, or 0 if `id` isn't a UUIDv7.
 */
export function deriveId(id: string, word: string): string {
  const msecs =
    validate(id) && version(id) === 7
      ? Number.parseInt(id.replaceAll("-", "").slice(0, TIME_DIGITS), 16)
      : 0;
  const random = createHash("sha256").update(`${id} ${word}`).digest().subarray(0, 16);
  return uuidv7({ msecs, random });
}
