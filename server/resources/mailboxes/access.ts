import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { revokeAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { addAlias, removeAlias } from "#server/core/mailboxes/mailboxes/aliases.ts";
import {
  type EndedSessions,
  endSessions,
} from "#server/core/mailboxes/mailboxes/mailbox-sessions.ts";
import {
  getAccess,
  getEffectiveSettings,
  resendForwardRequest,
} from "#server/core/mailboxes/mailboxes/mailbox-access.ts";
import {
  replaceMailboxPassword,
  resetSecondFactor,
} from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { unlinkMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { saveRulesOf } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { listShares, removeShare, setShare } from "#server/core/mailboxes/shares/shares.ts";
import { resendPasswordLink } from "#server/core/mailboxes/sign-in/password-link.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

import { AdminRules, shownForwards } from "#server/resources/account/rules.ts";

import { MailboxPath } from "./api.ts";

function sessionsFromBody(body: {
  browser?: string | undefined;
  mailAppsFrom?: string | undefined;
}): EndedSessions {
  if (body.browser !== undefined) return { browser: body.browser };
  if (body.mailAppsFrom !== undefined) return { mailAppsFrom: body.mailAppsFrom };
  return "all";
}

export const mailboxAccessConsole = pageEndpoints("console", "mailboxAccess", {
  resendPasswordLink: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath,
    body: z.object({ to: z.string() }),
    handle: async ({ ctx, signedIn, params, body }) => ({
      sentTo: await resendPasswordLink(ctx, signedIn, params.email, {
        to: body.to,
        sentBy: signedIn.email,
      }),
    }),
  }),

  resetPassword: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath,
    body: z.object({ keepAppPasswords: z.boolean().optional() }).optional(),
    async handle({ ctx, signedIn, params, body }) {
      const { temporaryPassword } = await replaceMailboxPassword(ctx, signedIn, params.email, {
        keepsAppPasswords: body?.keepAppPasswords,
      });
      return { temporaryPassword };
    },
  }),

  resetSecondFactor: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath,
    async handle({ ctx, signedIn, params }) {
      await resetSecondFactor(ctx, signedIn, params.email);
      return { removed: true as const };
    },
  }),

  unlink: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath,
    async handle({ ctx, signedIn, params }) {
      await unlinkMailbox(ctx, signedIn, params.email);
      return { unlinked: true as const };
    },
  }),

  addAlias: change({
    privilege: "update_users",
    admitsUnitRoles: true,
    bodyLimit: "directory",
    params: MailboxPath,
    body: z.object({ address: z.string() }),
    async handle({ ctx, signedIn, params, body }) {
      const { address } = await addAlias(ctx, signedIn, params.email, body.address);
      return { address };
    },
  }),

  removeAlias: change({
    privilege: "update_users",
    admitsUnitRoles: true,
    params: MailboxPath.extend({ address: z.string() }),
    async handle({ ctx, signedIn, params }) {
      const { address } = await removeAlias(ctx, signedIn, params.email, params.address);
      return { address };
    },
  }),

  listShares: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    params: MailboxPath,
    async handle({ ctx, signedIn, params }) {
      const shares = await listShares(ctx, signedIn, params.email);
      return {
        data: shares.map(({ member, kind, access, sendAs }) => ({ member, kind, access, sendAs })),
      };
    },
  }),

  setShare: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath,
    body: z.object({
      member: z.string(),
      access: z.enum(["read", "write"]),
      sendAs: z.boolean(),
    }),
    async handle({ ctx, signedIn, params, body }) {
      const share = await setShare(ctx, signedIn, params.email, body);
      return { member: share.member };
    },
  }),

  removeShare: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath.extend({ address: z.string() }),
    async handle({ ctx, signedIn, params }) {
      await removeShare(ctx, signedIn, params.email, params.address);
      return { member: params.address };
    },
  }),

  getAccess: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    params: MailboxPath,
    async handle({ ctx, signedIn, params }) {
      const access = await getAccess(ctx, signedIn, params.email);
      return {
        appPasswords: access.appPasswords.map((password) => ({
          ...password,
          createdAt: consoleTimestamp(password.createdAt),
          lastUsedAt: password.lastUsedAt && consoleTimestamp(password.lastUsedAt),
        })),
        browsers: access.browsers.map(
          ({ id, createdAt, clientAddress, userAgent, usesWebmail }) => ({
            id,
            usesWebmail,
            createdAt: consoleTimestamp(createdAt),
            clientAddress,
            userAgent,
          }),
        ),
        mailApps: access.mailApps,
        networks: access.networks.map(({ network, firstSeenAt, lastSeenAt }) => ({
          network,
          firstSeenAt: consoleTimestamp(firstSeenAt),
          lastSeenAt: consoleTimestamp(lastSeenAt),
        })),
        identityLinkedAt: access.identityLinkedAt && consoleTimestamp(access.identityLinkedAt),
        passwordLink: access.passwordLink && {
          sentTo: access.passwordLink.sentTo,
          expiresAt: consoleTimestamp(access.passwordLink.expiresAt),
        },
      };
    },
  }),

  getEffectiveSettings: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    params: MailboxPath,
    async handle({ ctx, signedIn, params }) {
      const { policies, rules, unconfirmed, sending } = await getEffectiveSettings(
        ctx,
        signedIn,
        params.email,
      );
      const { vacation, forwardTo, keepCopy, filters } = rules;
      return {
        policies,
        forwardTo,
        keepsCopy: keepCopy,
        unconfirmedForwards: shownForwards(unconfirmed),
        vacation: vacation && {
          isOn: vacation.isOn,
          subject: vacation.subject,
          text: vacation.text,
          timeZone: vacation.timeZone,
          startsOn: vacation.startsOn,
          endsOn: vacation.endsOn,
        },
        filters: filters.filter(({ isOn }) => isOn).length,
        sending: {
          lastHour: sending.lastHour,
          hourlyMax: sending.hourlyMax,
          heldAt: sending.heldAt && consoleTimestamp(sending.heldAt),
        },
      };
    },
  }),

  saveRules: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath,
    body: AdminRules,
    async handle({ ctx, signedIn, params, body: { forwarding, vacation } }) {
      const change = { ...forwarding, ...(vacation && { vacation }) };
      await saveRulesOf(ctx, signedIn, params.email, change);
      return { id: params.email.toLowerCase() };
    },
  }),

  resendForwardRequest: change({
    privilege: "update_users",
    admitsUnitRoles: true,
    params: MailboxPath,
    body: z.object({ address: z.string().max(320) }),
    async handle({ ctx, signedIn, params, body }) {
      await resendForwardRequest(ctx, signedIn, params.email, body.address);
      return { address: body.address };
    },
  }),

  endSessions: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    bodyLimit: "directory",
    params: MailboxPath,
    body: z
      .object({ browser: z.string(), mailAppsFrom: z.union([z.ipv4(), z.ipv6()]) })
      .partial()
      .refine(({ browser, mailAppsFrom: from }) => browser === undefined || from === undefined, {
        error: "Use either browser or mailAppsFrom, not both",
      }),
    async handle({ ctx, signedIn, params, body }) {
      await endSessions(ctx, signedIn, params.email, sessionsFromBody(body));
      return { id: params.email.toLowerCase() };
    },
  }),

  revokeAppPassword: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath.extend({ id: z.string() }),
    async handle({ ctx, signedIn, params: { email, id } }) {
      await revokeAppPassword(ctx, signedIn, email, id);
      return { id };
    },
  }),
});
