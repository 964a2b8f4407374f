import { createHash } from "node:crypto";

import { v7 as uuidv7 } from "uuid";

/** Hexadecimal digits of a UUIDv7 that are its time. */
const TIME_DIGITS = 12;

/**
 * The id of a notice's email to one owner, a UUIDv7 of the notice's time. It is the same in every run of
 * the job, and no id is taken twice: that is what makes a notice arrive once.
 */
export function emailIdOf(noticeId: string, adminId: string): string {
  const msecs = Number.parseInt(noticeId.replaceAll("-", "").slice(0, TIME_DIGITS), 16);
  const random = createHash("sha256").update(`${noticeId} ${adminId}`).digest().subarray(0, 16);
  return uuidv7({ msecs, random });
}
