import { fieldValue, headerFields } from "#server/core/shared/mime/header-fields.ts";

import type { DeliveryRecipient } from "./mx-context.ts";

/**
 * For the mailboxes of a message that goes round: whoever delivers writes a Delivered-To field, and one
 * with the same mailbox in it says that the message comes home (RFC 5321, 6.3; RFC 9228). Groups and
 * owners have a memory of their own.
 */
export function loopDetector(content: Buffer): (person: DeliveryRecipient) => boolean {
  const places = new Set(
    headerFields(content)
      .filter(({ name }) => name === "delivered-to")
      .map((field) => fieldValue(content, field).replace(/^<|>$/g, "").toLowerCase()),
  );
  return (person) =>
    person.is === "mailbox" && (places.has(person.mailbox) || places.has(person.address));
}
