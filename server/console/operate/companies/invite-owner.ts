import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { invitationLink } from "#server/core/access/invitations/invitations.ts";
import { operatorContext } from "#server/core/operations/companies/operators.ts";
import { inviteOwner as invite } from "#server/core/operations/companies/create-company.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { CompanyPath, NOT_FOUND } from "./company-row.ts";

export const inviteOwner = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/companies/{id}/owners",
  summary: "Invite an owner, or resend an invitation with a new link",
  permission: "operator",
  privilege: null,
  params: CompanyPath,
  notFound: NOT_FOUND,
  body: z.object({ email: z.string(), name: z.string().default("") }),
  response: z.object({
    link: z.string().describe("Invitation link, also sent by email. Returned only once"),
  }),
  refusals: ["not_found", "invalid", "already_exists", "rate_limit_exceeded"],
  async handle(call) {
    const ctx = await operatorContext(currentOperator(call), call.params.id);
    const { token } = await invite(ctx, call.body);
    return { link: invitationLink(token) };
  },
});
