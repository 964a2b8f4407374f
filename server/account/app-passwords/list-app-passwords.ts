import { z } from "zod";

import { accountTimestamp } from "#server/account/timestamp.ts";
import { listAppPasswords as list } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const listAppPasswords = defineEndpoint({
  method: "GET",
  path: "/account/api/app-passwords",
  summary: "List app passwords, newest first",
  permission: "account",
  privilege: null,
  response: z.object({
    data: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        created_at: z.string(),
        last_used_at: z.string().nullable(),
        last_used_for: z.string().nullable(),
        last_used_from: z.string().nullable(),
      }),
    ),
  }),
  refusals: [],
  handle: async ({ ctx, mailbox }) => {
    const found = await list(ctx, mailbox.address);
    return {
      data: found.map(({ id, name, createdAt, lastUsedAt, lastUsedFor, lastUsedFrom }) => ({
        ...{ id, name },
        created_at: accountTimestamp(createdAt),
        last_used_at: lastUsedAt === null ? null : accountTimestamp(lastUsedAt),
        last_used_for: lastUsedFor,
        last_used_from: lastUsedFrom,
      })),
    };
  },
});
