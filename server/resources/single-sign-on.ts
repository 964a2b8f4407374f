import { z } from "zod";

import {
  changeProviderSettings,
  checkProvider,
  findIdentityProvider,
  removeProvider,
  saveProvider,
  unlinkAdmin,
} from "#server/core/access/single-sign-on/providers.ts";
import { redirectUrl, signInLink } from "#server/core/access/single-sign-on/provider-attempt.ts";
import { countProviderUse } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";
import { blankIsMissing, trimmedText } from "#server/http/text-fields.ts";

/** The company's identity provider. */
export const singleSignOnConsole = pageEndpoints("console", "singleSignOn", {
  get: read({
    privilege: "manage_settings",
    async handle({ ctx, signedIn }) {
      const found = await findIdentityProvider(ctx);
      const use = found?.allowsMailboxes ? await countProviderUse(ctx) : null;
      return {
        redirectUrl: redirectUrl(),
        provider: found && {
          issuer: found.issuer,
          clientId: found.clientId,
          requiredForAdmins: found.requiredForAdmins,
          isSecondFactor: found.isSecondFactor,
          allowsMailboxes: found.allowsMailboxes,
          requiredForMailboxes: found.requiredForMailboxes,
          signInUrl: signInLink("console", found),
          mailboxSignInUrl: signInLink("account", found),
          isUsedNow: signedIn.providerId === found.id,
        },
        mailboxes: use,
      };
    },
  }),

  check: change({
    privilege: "owner",
    body: z.object({ issuer: trimmedText(500) }),
    bodyLimit: "directory",
    handle: ({ body }) => checkProvider(body.issuer),
  }),

  save: change({
    privilege: "owner",
    body: z.object({
      issuer: trimmedText(500),
      clientId: trimmedText(300),
      clientSecret: blankIsMissing(z.string().trim().max(1000).optional()),
    }),
    bodyLimit: "directory",
    handle: ({ ctx, body }) => saveProvider(ctx, body),
  }),

  update: change({
    privilege: "owner",
    body: z
      .object({
        requiredForAdmins: z.boolean(),
        isSecondFactor: z.boolean(),
        allowsMailboxes: z.boolean(),
        requiredForMailboxes: z.boolean(),
      })
      .partial(),
    bodyLimit: "directory",
    async handle({ ctx, signedIn, body }) {
      await changeProviderSettings(ctx, signedIn, body);
      return { changed: true as const };
    },
  }),

  unlinkAdmin: change({
    privilege: "owner",
    body: z.object({ email: trimmedText(254) }),
    bodyLimit: "directory",
    async handle({ ctx, body }) {
      await unlinkAdmin(ctx, body.email);
      return { unlinked: true as const };
    },
  }),

  remove: change({
    privilege: "owner",
    async handle({ ctx }) {
      await removeProvider(ctx);
      return { removed: true as const };
    },
  }),
});
