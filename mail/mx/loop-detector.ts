import type { Message } from "#server/core/shared/mime/message.ts";

import type { DeliveryRecipient } from "./mx-context.ts";

/**
 * Tells which recipients a message was already delivered to: each delivery adds a Delivered-To field
 * (RFC 5321, 6.3; RFC 9228). Groups and owners detect loops themselves.
 */
export function loopDetector(message: Message): (person: DeliveryRecipient) => boolean {
  const places = new Set(
    message.values("delivered-to").map((value) => value.replace(/^<|>$/g, "").toLowerCase()),
  );
  return (person) =>
    person.kind === "mailbox" && (places.has(person.mailbox) || places.has(person.address));
}
