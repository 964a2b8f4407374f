import { z } from "zod";

import { setUp as makeFirstCompany } from "#server/core/operations/companies/set-up.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

export const setUp = defineEndpoint({
  method: "POST",
  path: "/console/api/set-up",
  summary: "Create the first company and its owner",
  permission: "same_origin",
  privilege: null,
  body: z.object({
    token: z.string().max(200),
    company_name: trimmedText(200),
    owner: z.object({
      name: trimmedText(200),
      email: z.email({ error: "must be a valid address such as ann@example.com" }).max(254),
      password: z.string().max(1000),
    }),
  }),
  bodyLimit: "directory",
  response: z.object({ signed_in: z.literal(true) }),
  refusals: ["wrong_setup_token", "already_exists", "invalid"],
  handle: async ({ db, body, headers }) => {
    const { token, company_name: companyName, owner } = body;
    headers.append("set-cookie", await makeFirstCompany(db, { token, companyName, owner }));
    return { signed_in: true as const };
  },
});
