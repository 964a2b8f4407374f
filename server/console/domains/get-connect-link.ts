import { z } from "zod";

import { offerConnectLink } from "#server/core/domains/domain-connect/offer-connect-link.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { RecordKind } from "./domain-row.ts";

const ConnectLink = z.object({
  provider: z.string().describe("The DNS provider's name"),
  records: z.array(RecordKind).describe("What the link publishes"),
  url: z.string(),
});

export const getConnectLink = defineEndpoint({
  method: "GET",
  path: "/console/api/domains/{id}/connect-link",
  summary: "Get the Domain Connect link that publishes a domain's missing records",
  permission: "console",
  privilege: "domains",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  response: z.object({ link: ConnectLink.nullable() }),
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => ({ link: await offerConnectLink(ctx, params.id) }),
});
