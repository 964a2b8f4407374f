import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { explainPrivileges } from "#server/core/access/admins/explain-privileges.ts";
import { getAdmin as get } from "#server/core/access/admins/admins.ts";
import { listAdminKeys } from "#server/core/access/admins/team.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import {
  NOT_FOUND,
  AdminPath,
  AdminRow,
  adminRow,
  PrivilegeSource,
  privilegeSource,
} from "./admin-row.ts";

export const getAdmin = defineEndpoint({
  method: "GET",
  path: "/console/api/team/{id}",
  summary: "Retrieve an admin with their privileges, where these come from, and their API keys",
  permission: "console",
  privilege: "manage_admins",
  params: AdminPath,
  notFound: NOT_FOUND,
  response: AdminRow.extend({
    sessions: z.number().describe("Active sessions"),
    effective_privileges: z.array(
      z.object({ privilege: z.string(), through: z.array(PrivilegeSource) }),
    ),
    keys: z
      .array(
        z.object({
          id: z.uuid(),
          name: z.string(),
          prefix: z.string(),
          last_used_at: z.string().nullable(),
          scheduled_emails: z.number(),
        }),
      )
      .describe("Active keys that removing the admin would revoke"),
  }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params: { id } }) {
    const admin = await get(ctx, id);
    const keys = await listAdminKeys(ctx, id);
    return {
      ...adminRow(admin, signedIn.id),
      sessions: admin.sessions,
      effective_privileges: explainPrivileges(admin).map(({ privilege, through }) => ({
        privilege,
        through: through.map(privilegeSource),
      })),
      keys: keys.map((key) => ({
        ...{ id: key.id, name: key.name, prefix: key.prefix },
        last_used_at: key.lastUsedAt && consoleTimestamp(key.lastUsedAt),
        scheduled_emails: key.scheduledEmails,
      })),
    };
  },
});
