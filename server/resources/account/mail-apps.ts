import { z } from "zod";

import { identityFields } from "#server/http/second-factors.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import { requireIdentity } from "#server/core/mailboxes/account/own-account.ts";
import {
  createAppPassword,
  deleteAppPassword,
  listAppPasswords,
} from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { config } from "#server/config.ts";
import {
  type AllowedProtocols,
  clientSettings,
  findMailAddress,
  qrPath,
  readAllowedProtocols,
} from "#server/core/mailboxes/client-settings/client-settings.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { accountChange, accountRead, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
import { APP_PASSWORD_SCOPES } from "#server/universal/app-password-scopes.ts";

/** The mailbox user's app passwords. */
export const appPasswordsAccount = pageEndpoints("account", "appPasswords", {
  list: accountRead({
    handle: async ({ ctx, mailbox }) => {
      const found = await listAppPasswords(ctx, mailbox.address);
      return {
        data: found.map((password) => ({
          ...password,
          createdAt: consoleTimestamp(password.createdAt),
          lastUsedAt: password.lastUsedAt && consoleTimestamp(password.lastUsedAt),
        })),
      };
    },
  }),

  create: accountChange({
    body: z.object({
      name: z.string().max(1000),
      scope: z.enum(APP_PASSWORD_SCOPES).optional(),
      ...identityFields,
    }),
    bodyLimit: "directory",
    async handle({ ctx, mailbox, body, request }) {
      const { name, scope, currentPassword: password, proof } = body;
      const shown = { password, proof, clientAddress: request.address };
      return createAppPassword(ctx, mailbox.address, name, {
        ...(scope && { scope }),
        requireIdentity: () => requireIdentity(ctx, mailbox, shown),
      });
    },
  }),

  delete: accountChange({
    params: pathOf("App password not found", { id: z.uuid() }),
    handle: async ({ ctx, mailbox, params }) => {
      await deleteAppPassword(ctx, mailbox.address, params.id);
      return { deleted: true as const };
    },
  }),
});

/** @param isOwn the mailbox is the signed-in one */
function setUpAnswer(
  address: string,
  { isOwn, allowed }: { isOwn: boolean; allowed?: AllowedProtocols },
) {
  const settings = clientSettings(allowed);
  const query = `?email=${encodeURIComponent(address)}`;
  const phoneUrl = `${config().baseUrl}/account/connect${query}`;
  const hasProfile = settings.smtp.length > 0 && settings.imap.length + settings.pop3.length > 0;
  const profile = isOwn ? "/account/apple.mobileconfig" : `/apple.mobileconfig${query}`;
  return {
    address,
    ...settings,
    profilePath: hasProfile ? profile : null,
    phoneUrl,
    qr: qrPath(phoneUrl),
  };
}

/** How to set up mail apps. */
export const setUpAccount = pageEndpoints("account", "setUp", {
  getSetUp: accountRead({
    handle: async ({ ctx, mailbox: { address } }) =>
      setUpAnswer(address, { isOwn: true, allowed: await readAllowedProtocols(ctx.db, address) }),
  }),

  getConnect: read({
    permission: "public",
    query: z.object({ email: z.string().max(1000) }),
    handle: async ({ db, query }) => {
      const found = await findMailAddress(db, query.email);
      if (!found) throw new Refusal("not_found", "This server doesn't handle mail for that domain");
      return setUpAnswer(found.address, { isOwn: false });
    },
  }),
});
