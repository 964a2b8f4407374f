import { z } from "zod";

import { apiTimestamp, consoleTimestamp } from "#server/http/timestamps.ts";
import {
  createInboundAddress,
  deleteInboundAddress,
  getInboundAddress,
  type ListedInboundAddress,
  listInboundAddresses,
} from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { isOneLine } from "#server/core/shared/text.ts";
import type { Example } from "#server/http/code-samples.ts";
import { change, defineEndpoint, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
import { listObject, listResponse } from "#server/http/lists.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

const object = z.literal("inbound_address").describe("Object type");

const address = z.string().describe("Lowercase address, or `*@` and a domain for a catch-all");

const InboundAddressObject = z
  .object({ object, address, created_at: z.string().describe("When it was created") })
  .meta({ id: "InboundAddress" });

const InboundAddressPath = z.object({
  address: z
    .string()
    .describe("The inbound address. Case is ignored; URL-encoding the @ and * is optional"),
});

const inboundAddressObject = ({ address, createdAt }: ListedInboundAddress) => ({
  object: "inbound_address" as const,
  address,
  created_at: apiTimestamp(createdAt),
});

const example = {
  object: "inbound_address",
  address: "support@shop.example",
  created_at: "2026-03-02 09:30:00.412345+00",
};

/** For the API reference. */
export const inboundAddressExamples: Record<string, Example> = {
  "GET /inbound-addresses": {
    answer: {
      object: "list",
      has_more: false,
      data: [{ ...example, address: "*@reply.shop.example" }, example],
    },
  },
  "POST /inbound-addresses": { body: { address: example.address }, answer: example },
  "GET /inbound-addresses/{address}": {
    params: { address: example.address },
    answer: example,
  },
  "DELETE /inbound-addresses/{address}": {
    params: { address: example.address },
    answer: { object: "inbound_address", address: example.address, deleted: true },
  },
};

/** Addresses whose mail is delivered to programs. */
export const inboundAddressesApi = {
  list: defineEndpoint("GET", "/inbound-addresses", {
    summary: "List inbound addresses",
    description: "Ordered by address, catch-alls first. The list is not paginated.",
    privilege: ["view_groups", ...READ_EMAILS],
    response: listResponse(InboundAddressObject),
    handle: async ({ ctx }) =>
      listObject({ rows: await listInboundAddresses(ctx), hasMore: false }, inboundAddressObject),
  }),

  create: defineEndpoint("POST", "/inbound-addresses", {
    summary: "Create an inbound address",
    description:
      "Mail to the address, with or without a tag (`support+1042@`), becomes a received email. `*@reply.example.com` is a catch-all: it receives mail to all addresses of the domain that don't exist. A company can have 100 inbound addresses.",
    privilege: "manage_groups",
    bodyLimit: "directory",
    body: z.object({
      address: blankIsMissing(z.string())
        .meta({ type: "string" })
        .describe(
          "An unused address in one of the company's verified domains, or `*@` followed by such a domain",
        ),
    }),
    response: InboundAddressObject,
    refusals: ["missing_required_field", "already_exists", "not_allowed"],
    handle: async ({ ctx, body }) =>
      inboundAddressObject(await createInboundAddress(ctx, body.address)),
  }),

  get: defineEndpoint("GET", "/inbound-addresses/{address}", {
    summary: "Retrieve an inbound address",
    privilege: ["view_groups", ...READ_EMAILS],
    params: InboundAddressPath,
    response: InboundAddressObject,
    handle: async ({ ctx, params }) =>
      inboundAddressObject(await getInboundAddress(ctx, params.address)),
  }),

  delete: defineEndpoint("DELETE", "/inbound-addresses/{address}", {
    summary: "Delete an inbound address",
    description:
      "Mail to the address is no longer accepted. The emails that it received stay. In the console, owners can restore it for 20 days, unless the operator changed `keep_deleted_days`.",
    privilege: "manage_groups",
    params: InboundAddressPath,
    response: z.object({
      object,
      address,
      deleted: z.literal(true).describe("Always `true`"),
    }),
    async handle({ ctx, params }) {
      const { address } = await deleteInboundAddress(ctx, params.address);
      return { object: "inbound_address" as const, address, deleted: true as const };
    },
  }),
};

/** The company's inbound addresses. */
export const inboundAddressesConsole = pageEndpoints("console", "inboundAddresses", {
  list: read({
    privilege: ["view_groups", ...READ_EMAILS],
    async handle({ ctx }) {
      const found = await listInboundAddresses(ctx);
      const data = found.map(({ address, createdAt }) => ({
        address,
        createdAt: consoleTimestamp(createdAt),
      }));
      return { data };
    },
  }),

  create: change({
    privilege: "manage_groups",
    body: z.object({ address: z.string() }),
    handle: async ({ ctx, body }) => {
      const { address } = await createInboundAddress(ctx, body.address);
      return { address };
    },
  }),

  delete: change({
    privilege: "manage_groups",
    params: pathOf("Inbound address not found", { address: z.string().refine(isOneLine) }),
    async handle({ ctx, params }) {
      const { address, deletedId } = await deleteInboundAddress(ctx, params.address);
      return { address, deletedId };
    },
  }),
});
