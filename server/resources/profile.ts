import { ALARM_KINDS, NOTICE_KINDS } from "#server/core/mail/notifications/notice-kinds.ts";
import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { listCompaniesOfPerson } from "#server/core/access/companies/companies.ts";
import { changeOwnPassword } from "#server/core/access/people/person-passwords.ts";
import { renamePerson } from "#server/core/access/people/people.ts";
import { personOwner } from "#server/core/access/second-factors/factor-changes.ts";
import { getFactors, personAccount } from "#server/core/access/second-factors/factors.ts";
import {
  type ConsoleSession,
  endOwnOtherSessions,
  endOwnSession,
  listConsoleSessions,
  ownSessions,
} from "#server/core/access/sessions/console-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import {
  type SettingsOf,
  type ShownNotifications,
  changeNotifications,
  readNotifications,
} from "#server/core/mail/notifications/notification-settings.ts";
import { sendTestNotice } from "#server/core/mail/notifications/post-notices.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";
import { change, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
import { factorEndpoints, factorsObject, sessionOrigin } from "#server/http/second-factors.ts";
import { Password, trimmedText } from "#server/http/text-fields.ts";

/** A session in the console's list. */
export const shownSession = (session: ConsoleSession) => ({
  id: session.id,
  isThisOne: session.isThisOne,
  email: session.email,
  isOwner: session.isOwner,
  company: session.companyName,
  createdAt: consoleTimestamp(session.createdAt),
  lastUsedAt: session.lastUsedAt && consoleTimestamp(session.lastUsedAt),
  clientAddress: session.clientAddress,
  userAgent: session.userAgent,
});

/** The public session ID, a hash of the token (`listedSessionId`). */
export const SessionParams = pathOf("Session not found", {
  id: z.string().regex(/^[0-9a-f]{32}$/),
});
/** `server`: alarms, for operators only. */
const NotificationScope = z.enum(["company", "server"]);

const Kind = z.enum([...NOTICE_KINDS, ...ALARM_KINDS]);

const UrlFormat = z.enum(["slack", "json"]);

/** @throws Refusal `invalid_permission` for the server's alarms, unless the admin is an operator */
function settingsOf({ email, isOperator }: SignedIn, scope: SettingsOf["scope"]): SettingsOf {
  if (scope === "server" && !isOperator)
    throw new Refusal("invalid_permission", "Only operators are notified about the server");
  return { email, scope };
}

const shownNotifications = ({ kinds, url }: ShownNotifications) => ({
  kinds: kinds as { kind: z.output<typeof Kind>; email: boolean; url: boolean }[],
  url: url && {
    host: url.host,
    format: url.urlFormat,
    waiting: url.waiting,
    lastPostedAt: url.urlPostedAt && consoleTimestamp(url.urlPostedAt),
    failingSince: url.urlFailingSince && consoleTimestamp(url.urlFailingSince),
    lastError: url.urlError && explainFailure(url.urlError),
  },
});

const KINDS_MAX = 20;

/** The admin's own account. */
export const profileConsole = pageEndpoints("console", "profile", {
  get: read({
    permission: "console_door",
    privilege: null,
    handle: async ({ ctx, signedIn }) => {
      const { email, name } = signedIn;
      const factors = await getFactors(ctx.db, personAccount(email));
      const companies = await listCompaniesOfPerson(ctx.db, signedIn);
      return {
        email,
        name,
        secondFactor: factorsObject(factors),
        companies: companies.map(({ id, name }) => ({
          id,
          name,
          isThisOne: id === ctx.companyId,
        })),
      };
    },
  }),

  update: change({
    permission: "console_door",
    privilege: null,
    body: z.object({ name: trimmedText(200) }),
    bodyLimit: "directory",
    handle: async ({ ctx, signedIn, body }) => {
      await renamePerson(ctx.db, signedIn, body.name);
      return { changed: true as const };
    },
  }),

  getNotifications: read({
    privilege: null,
    async handle({ ctx, signedIn }) {
      const { email, isOperator } = signedIn;
      const read = (scope: "company" | "server") =>
        readNotifications(ctx, { email, scope, held: signedIn });
      return {
        company: shownNotifications(await read("company")),
        server: isOperator ? shownNotifications(await read("server")) : null,
      };
    },
  }),

  updateNotifications: change({
    privilege: null,
    bodyLimit: "directory",
    body: z.object({
      scope: NotificationScope,
      emailOff: z.array(Kind).max(KINDS_MAX).optional(),
      urlOff: z.array(Kind).max(KINDS_MAX).optional(),
      url: z.string().max(4_000).nullable().optional(),
      urlFormat: UrlFormat.optional(),
    }),
    async handle({ ctx, signedIn, body }) {
      await changeNotifications(ctx, settingsOf(signedIn, body.scope), {
        emailOff: body.emailOff,
        urlOff: body.urlOff,
        url: body.url,
        urlFormat: body.urlFormat,
      });
      return { changed: true as const };
    },
  }),

  sendTestNotification: change({
    privilege: null,
    bodyLimit: "directory",
    body: z.object({ scope: NotificationScope }),
    handle: async ({ ctx, signedIn, body }) => ({
      error: await sendTestNotice(ctx, settingsOf(signedIn, body.scope)),
    }),
  }),

  changePassword: change({
    permission: "console_door",
    privilege: null,
    body: z.object({ currentPassword: Password, password: Password }),
    bodyLimit: "directory",
    handle: async ({ ctx, signedIn, body, request, headers }) => {
      const passwords = { current: body.currentPassword, next: body.password };
      const cookie = await changeOwnPassword(ctx.db, signedIn, passwords, sessionOrigin(request));
      headers.append("set-cookie", cookie);
      return { changed: true as const };
    },
  }),

  listOwnSessions: read({
    permission: "console_door",
    privilege: null,
    async handle({ ctx, signedIn }) {
      const sessions = await listConsoleSessions(ctx.db, ownSessions(signedIn), signedIn.sessionId);
      return { data: sessions.map(shownSession) };
    },
  }),

  endOwnSession: change({
    permission: "console_door",
    privilege: null,
    params: SessionParams,
    handle: async ({ ctx, signedIn, params }) => {
      await endOwnSession(ctx, signedIn, params.id);
      return { ended: true as const };
    },
  }),

  endOwnOtherSessions: change({
    permission: "console_door",
    privilege: null,
    handle: async ({ ctx, signedIn }) => ({ ended: await endOwnOtherSessions(ctx, signedIn) }),
  }),
});

/** The admin's own second factors. */
export const secondFactorsConsole = pageEndpoints(
  "console",
  "secondFactors",
  factorEndpoints({
    permission: "console_door",
    password: Password,
    findOwner: ({ ctx, signedIn }) => ({ db: ctx.db, owner: personOwner(signedIn) }),
  }),
);
