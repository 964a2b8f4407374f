import { headerFields } from "#server/core/shared/mime/header-fields.ts";

/** Servers retry for up to five days (RFC 5321, 4.5.4.1). */
const RETRIED_MS = 5 * 86_400_000;
/** Longer than most servers wait before the first retry. */
const UNIDENTIFIED_MS = 10 * 60_000;

/**
 * How long identical bytes from the same sender mean a repeated delivery, in milliseconds. Without Message-ID and Date they
 * may be another message, such as the fixed alert of a device.
 */
export function repeatHorizon(message: Buffer): number {
  const isIdentified = headerFields(message).some(
    ({ name }) => name === "message-id" || name === "date",
  );
  return isIdentified ? RETRIED_MS : UNIDENTIFIED_MS;
}
