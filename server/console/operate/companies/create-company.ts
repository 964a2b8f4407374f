import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { invitationLink } from "#server/core/access/invitations/invitations.ts";
import { createOperatedCompany } from "#server/core/operations/companies/create-company.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const createCompany = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/companies",
  summary: "Create a company and invite its owner",
  permission: "operator",
  privilege: null,
  body: z.object({
    name: z.string(),
    email: z.string().describe("Email address of the owner"),
    owner_name: z.string().default(""),
    plan_id: z.uuid().nullable().default(null),
  }),
  response: z.object({
    id: z.uuid(),
    link: z.string().describe("Invitation link, also sent by email. Returned only once"),
  }),
  refusals: ["invalid", "not_found"],
  async handle(call) {
    const { name, email, owner_name, plan_id } = call.body;
    const { id, token } = await createOperatedCompany(currentOperator(call), {
      ...{ name, planId: plan_id, owner: { email, name: owner_name } },
    });
    return { id, link: invitationLink(token) };
  },
});
