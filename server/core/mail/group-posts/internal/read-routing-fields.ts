import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { fieldValue, headerFields } from "#server/core/shared/mime/header-fields.ts";

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

export function readRoutingFields(content: Buffer): RoutingFields {
  const values = new Map<string, string[]>();
  for (const field of headerFields(content))
    if (NAMES.has(field.name))
      values.set(field.name, [...(values.get(field.name) ?? []), fieldValue(content, field)]);
  const of = (name: string) => values.get(name) ?? [];
  const deliveredTo = [...of("delivered-to"), ...of("x-loop")];
  return {
    received: of("received").length,
    deliveredTo: new Set(
      deliveredTo.flatMap((text) => parseAddress(text.slice(0, 320))?.address ?? []),
    ),
    listId:
      /<[^<>]*>\s*$/
        .exec(of("list-id")[0]?.slice(-1000) ?? "")?.[0]
        .trim()
        .toLowerCase() ?? null,
    isAutoReply:
      of("auto-submitted").some((value) => /^auto-(replied|notified)\b/i.test(value)) ||
      of("precedence").some((value) => /^auto_reply\b/i.test(value)) ||
      of("x-autoreply").some((value) => !/^no\b/i.test(value)),
  };
}

const NAMES = new Set([
  ...["received", "delivered-to", "x-loop", "list-id"],
  ...["auto-submitted", "precedence", "x-autoreply"],
]);

// More hops than legitimate mail has.
const RECEIVED_MAX = 50;

/** Whether the message has already been delivered to the address, or loops elsewhere. */
export function isLooping(
  { received, deliveredTo, listId }: RoutingFields,
  address: string,
): boolean {
  return received > RECEIVED_MAX || deliveredTo.has(address) || listId === formatListId(address);
}
