import { z } from "zod";

import type { ListedInboundAddress } from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";

const object = z.literal("inbound_address").describe("Object type");
const address = z.string().describe("Lowercase address, or `*@` and a domain for a catch-all");

export const InboundAddressObject = z
  .object({ object, address, created_at: z.string().describe("When it was created") })
  .meta({ id: "InboundAddress" });

export const InboundAddressDeleted = z.object({
  object,
  address,
  deleted: z.literal(true).describe("Always `true`"),
});

export const InboundAddressPath = z.object({
  address: z
    .string()
    .describe("The inbound address. Case is ignored; URL-encoding the @ and * is optional"),
});

export const inboundAddressObject = ({ address, createdAt }: ListedInboundAddress) => ({
  object: "inbound_address" as const,
  address,
  created_at: apiTimestamp(createdAt),
});
