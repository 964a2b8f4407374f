import { z } from "zod";

import { emailRecords as email } from "#server/core/domains/domains/sending-domains.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const emailRecords = defineEndpoint({
  method: "POST",
  path: "/console/api/domains/{id}/email-records",
  summary: "Email a domain's DNS records to the person who manages its DNS",
  permission: "console",
  privilege: "domains",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  body: z.object({ to: z.string().min(1).max(320) }),
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid", "rate_limit_exceeded"],
  handle: async ({ ctx, params, body, signedIn }) => {
    await email(ctx, params.id, { to: body.to, sentBy: signedIn.email });
    return { id: params.id };
  },
});
