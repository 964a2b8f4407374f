import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import type { Message } from "#server/core/shared/mime/message.ts";

import { formatListId } from "./list-fields.ts";

/** What the header says about a message's path and origin. */
export type RoutingFields = {
  /** The number of Received fields. */
  received: number;
  /** Lowercase addresses it was already delivered to. */
  deliveredTo: ReadonlySet<string>;
  /** `<team.example.com>`, lowercase; null without a list. */
  listId: string | null;
  /** A vacation reply or another automatic response (RFC 3834). */
  isAutoReply: boolean;
};

export function readRoutingFields(message: Message): RoutingFields {
  const deliveredTo = [...message.values("delivered-to"), ...message.values("x-loop")];
  return {
    received: message.named("received").length,
    deliveredTo: new Set(
      deliveredTo.flatMap((text) => parseAddress(text.slice(0, 320))?.address ?? []),
    ),
    listId:
      /<[^<>]*>\s*$/
        .exec(message.value("list-id")?.slice(-1000) ?? "")?.[0]
        .trim()
        .toLowerCase() ?? null,
    isAutoReply:
      message.values("auto-submitted").some((value) => /^auto-(replied|notified)\b/i.test(value)) ||
      message.values("precedence").some((value) => /^auto_reply\b/i.test(value)) ||
      message.values("x-autoreply").some((value) => !/^no\b/i.test(value)),
  };
}

// More hops than legitimate mail has.
const RECEIVED_MAX = 50;

/** Whether the message has already been delivered to the address, or loops elsewhere. */
export function isLooping(
  { received, deliveredTo, listId }: RoutingFields,
  address: string,
): boolean {
  return received > RECEIVED_MAX || deliveredTo.has(address) || listId === formatListId(address);
}
