import { createHash } from "node:crypto";

import type { Message } from "#server/core/shared/mime/message.ts";

import type { Incoming } from "./mx-context.ts";

/** How long the same fingerprint means a repeated delivery: servers retry for up to five days (RFC 5321, 4.5.4.1). */
export const REPEATS_FOR_MS = 5 * 86_400_000;

/**
 * Identifies a message to recognize it when its sender didn't get our reply and delivers it again: the hash of its bytes.
 * Identical bytes without Message-ID and Date may be different messages, such as a device's fixed alerts, so each counts as new.
 */
export function fingerprintOf(
  message: Message,
  { id, sender }: Pick<Incoming, "id" | "sender">,
): string {
  const isIdentified = [...message.values("message-id"), ...message.values("date")].some(
    (value) => value !== "",
  );
  const hash = createHash("sha256").update(sender).update(message.raw);
  return (isIdentified ? hash : hash.update(`\n${id}`)).digest("hex");
}
