import { z } from "zod";

import { explainPrivilegesOnMailbox } from "#server/core/access/admins/explain-privileges.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, AdminPath, PrivilegeSource, privilegeSource } from "./admin-row.ts";

export const getMailboxPrivileges = defineEndpoint({
  method: "GET",
  path: "/console/api/team/{id}/privileges",
  summary: "Retrieve an admin's privileges for one mailbox and where they come from",
  permission: "console",
  privilege: "manage_admins",
  params: AdminPath,
  notFound: NOT_FOUND,
  query: z.object({ mailbox: z.string().max(320) }),
  response: z.object({
    mailbox: z.string(),
    units: z.array(z.string()).describe("The mailbox's unit and its parents, innermost first"),
    privileges: z.array(z.object({ privilege: z.string(), through: z.array(PrivilegeSource) })),
  }),
  refusals: ["not_found", "invalid"],
  async handle({ ctx, signedIn, params, query: { mailbox } }) {
    const found = await explainPrivilegesOnMailbox(ctx, signedIn, { adminId: params.id, mailbox });
    return {
      mailbox: found.mailbox,
      units: found.units,
      privileges: found.privileges.map(({ privilege, through }) => ({
        privilege,
        through: through.map(privilegeSource),
      })),
    };
  },
});
