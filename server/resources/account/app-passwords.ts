import { identityFields } from "#server/http/second-factors.ts";
import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { requireIdentity } from "#server/core/mailboxes/account/own-account.ts";
import {
  createAppPassword,
  deleteAppPassword,
  listAppPasswords,
} from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

export const appPasswordsAccount = pageEndpoints("account", "appPasswords", {
  list: read({
    permission: "account",
    privilege: null,
    handle: async ({ ctx, mailbox }) => {
      const found = await listAppPasswords(ctx, mailbox.address);
      return {
        data: found.map(({ id, name, createdAt, lastUsedAt, lastUsedFor, lastUsedFrom }) => ({
          id,
          name,
          createdAt: consoleTimestamp(createdAt),
          lastUsedAt: lastUsedAt === null ? null : consoleTimestamp(lastUsedAt),
          lastUsedFor,
          lastUsedFrom,
        })),
      };
    },
  }),

  create: change({
    permission: "account",
    privilege: null,
    body: z.object({ name: z.string().max(1000), ...identityFields }),
    bodyLimit: "directory",
    async handle({ ctx, mailbox, body, request }) {
      const { name, currentPassword: password, proof } = body;
      const shown = { password, proof, clientAddress: request.address };
      return createAppPassword(ctx, mailbox.address, name, () =>
        requireIdentity(ctx, mailbox, shown),
      );
    },
  }),

  delete: change({
    permission: "account",
    privilege: null,
    params: z.object({ id: z.uuid() }),
    notFound: "App password not found",
    handle: async ({ ctx, mailbox, params }) => {
      await deleteAppPassword(ctx, mailbox.address, params.id);
      return { deleted: true as const };
    },
  }),
});
