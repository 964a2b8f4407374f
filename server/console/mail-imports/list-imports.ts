import { z } from "zod";

import { listImports as list } from "#server/core/mailboxes/imports/list-imports.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ImportRow, importRow, ImportState } from "./import-row.ts";

export const listImports = defineEndpoint({
  method: "GET",
  path: "/console/api/mail-imports",
  summary: "List imports of mail, unfinished ones first",
  permission: "console",
  privilege: "update_users",
  admitsUnitRoles: true,
  query: z.object({
    state: ImportState.optional(),
    search: z.string().max(200).optional().describe("Part of a mailbox, an account or a server"),
  }),
  response: z.object({ data: z.array(ImportRow).describe("Up to a thousand") }),
  refusals: ["invalid"],
  async handle({ ctx, signedIn, query }) {
    return { data: (await list(ctx, signedIn, query)).map(importRow) };
  },
});
