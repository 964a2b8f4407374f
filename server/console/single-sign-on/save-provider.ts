import { z } from "zod";

import { saveProvider as save } from "#server/core/access/single-sign-on/providers.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { blankIsMissing, trimmedText } from "#server/http/text-fields.ts";

export const saveProvider = defineEndpoint({
  method: "POST",
  path: "/console/api/single-sign-on",
  summary: "Connect or change the company's identity provider",
  permission: "console",
  privilege: "owner",
  body: z.object({
    issuer: trimmedText(500),
    client_id: trimmedText(300),
    client_secret: blankIsMissing(z.string().trim().max(1000).optional()).describe(
      "If omitted, the current secret stays",
    ),
  }),
  bodyLimit: "directory",
  response: z.object({
    issuer: z.string().describe("As in the provider's metadata"),
    client_id: z.string(),
  }),
  refusals: ["invalid", "not_allowed"],
  async handle({ ctx, body: { issuer, client_id: clientId, client_secret: clientSecret } }) {
    const saved = await save(ctx, { issuer, clientId, clientSecret });
    return { issuer: saved.issuer, client_id: saved.clientId };
  },
});
