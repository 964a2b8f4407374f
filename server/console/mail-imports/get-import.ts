import { z } from "zod";

import { getImport as get } from "#server/core/mailboxes/imports/imports.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ImportPath, ImportRow, importRow } from "./import-row.ts";

export const getImport = defineEndpoint({
  method: "GET",
  path: "/console/api/mail-imports/{id}",
  summary: "Get an import with its folders and errors",
  permission: "console",
  privilege: "update_users",
  admitsUnitRoles: true,
  params: ImportPath,
  response: ImportRow.extend({
    folders: z.array(
      z.object({
        source: z.string(),
        target: z.string(),
        messages: z.int(),
        done: z.int(),
        is_finished: z.boolean(),
      }),
    ),
    failed: z
      .array(z.object({ folder: z.string(), uid: z.int(), reason: z.string() }))
      .describe("The first hundred messages that couldn't be imported; UID 0 is the whole folder"),
  }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params: { id } }) {
    const { folders, failed, ...shown } = await get(ctx, signedIn, id);
    return {
      ...importRow(shown),
      folders: folders.map(({ isFinished, ...folder }) => ({ ...folder, is_finished: isFinished })),
      failed,
    };
  },
});
