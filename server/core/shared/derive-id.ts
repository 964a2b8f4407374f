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

export type RepeatIds = {
  id: string;
  /** The id of an identical message that came in the period before; null if every repeat has the same id. */
  previous: string | null;
  /** Older messages with the id `previous` aren't repeats. */
  repeatsForMs: number | null;
};

/**
 * Derives the id of a message that may come repeatedly. Identical messages share an id within a period of `repeatsForMs`,
 * so that concurrent ones are stored once.
 *
 * @param repeatsForMs how long an identical key means a repeated delivery, in milliseconds; null for always
 */
export function deriveRepeatIds(
  { key, repeatsForMs }: { key: string; repeatsForMs: number | null },
  word: string,
): RepeatIds {
  if (repeatsForMs === null) return { id: deriveId(key, word), previous: null, repeatsForMs };
  const period = Math.floor(Date.now() / repeatsForMs);
  const idOf = (at: number) => deriveId(key, `${word} ${at}`);
  return { id: idOf(period), previous: idOf(period - 1), repeatsForMs };
}
