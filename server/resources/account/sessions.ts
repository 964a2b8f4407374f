import {
  factorEndpoints,
  factorsObject,
  OptionalPassword,
  ProofFields,
  secondFactorRequired,
  sessionOrigin,
  SIGNED_IN,
} from "#server/http/second-factors.ts";
import { z } from "zod";

import { config } from "#server/config.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import { STEP_MINUTES } from "#server/core/access/second-factors/factor-step.ts";
import {
  endAccountSession,
  endListedSession,
  listAccountSessions,
} from "#server/core/access/sessions/account-sessions.ts";
import { readStepCookie, stepCookie } from "#server/core/access/sign-in/steps.ts";
import {
  changePassword,
  getOverview,
  mailboxOwner,
} from "#server/core/mailboxes/account/own-account.ts";
import { chooseLanguage, languageCookie } from "#server/core/mailboxes/account/language.ts";
import {
  endMailAppSessionsFrom,
  endOtherSessions,
  listMailAppSessions,
} from "#server/core/mailboxes/account/mail-app-sessions.ts";
import {
  completeAccountStep,
  finishMailboxProviderSignIn,
  startProviderConfirmation,
  signInAtAccount,
} from "#server/core/mailboxes/account/account-sign-in.ts";
import {
  readPasswordLink,
  setPasswordByLink,
} from "#server/core/mailboxes/sign-in/password-link.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { ProviderResponse, providerStart } from "#server/http/single-sign-on.ts";
import {
  accountChange,
  accountRead,
  change,
  pageEndpoints,
  pathOf,
  read,
} from "#server/http/endpoint.ts";
import { Password, trimmedText } from "#server/http/text-fields.ts";
import { LANGUAGES, requestLanguage } from "#server/universal/texts/languages.ts";
import { getFactors, mailboxAccount } from "#server/core/access/second-factors/factors.ts";
import { ATTEMPT_MINUTES } from "#server/core/access/single-sign-on/provider-attempt.ts";

/** Signing in and out, and the signed-in mailbox user. */
export const sessionsAccount = pageEndpoints("account", "sessions", {
  signIn: change({
    permission: "same_origin",
    body: z.object({
      address: trimmedText(320),
      password: Password,
    }),
    bodyLimit: "directory",
    handle: async ({ db, request, body, headers }) => {
      const { address: username, password } = body;
      const browser = { cookieHeader: request.headers.cookie ?? "", ...sessionOrigin(request) };
      const result = await signInAtAccount(db, { username, password }, browser);
      if (result.kind === "signed_in") {
        headers.append("set-cookie", result.cookie);
        return SIGNED_IN;
      }
      headers.append("set-cookie", stepCookie("account", result.token, STEP_MINUTES));
      return secondFactorRequired(result.factors);
    },
  }),

  secondFactor: change({
    permission: "same_origin",
    body: ProofFields,
    bodyLimit: "directory",
    handle: async ({ db, request, body: proof, headers }) => {
      const cookieHeader = request.headers.cookie ?? "";
      const token = readStepCookie("account", cookieHeader);
      const browser = { cookieHeader, ...sessionOrigin(request) };
      headers.append("set-cookie", await completeAccountStep(db, { token, proof, browser }));
      headers.append("set-cookie", stepCookie("account", "", 0));
      return { signedIn: true as const };
    },
  }),

  startProviderSignIn: providerStart("account"),

  providerSignIn: change({
    permission: "same_origin",
    body: ProviderResponse,
    bodyLimit: "directory",
    handle: async ({ db, request, body: answer, headers }) => {
      const cookieHeader = request.headers.cookie ?? "";
      const token = readStepCookie("account", cookieHeader);
      const browser = { cookieHeader, ...sessionOrigin(request) };
      const result = await finishMailboxProviderSignIn(db, { token, answer, browser });
      if (result.kind !== "second_factor") {
        if (result.kind === "signed_in") headers.append("set-cookie", result.cookie);
        headers.append("set-cookie", stepCookie("account", "", 0));
        return SIGNED_IN;
      }
      headers.append("set-cookie", stepCookie("account", result.token, STEP_MINUTES));
      return secondFactorRequired(result.factors);
    },
  }),

  signOut: change({
    permission: "account_door",
    handle: async ({ ctx, mailbox, headers }) => {
      headers.append("set-cookie", await endAccountSession(ctx.db, mailbox.sessionId));
      return { signedIn: false as const };
    },
  }),

  checkPasswordLink: change({
    permission: "same_origin",
    body: z.object({ token: z.string().min(1).max(200) }),
    bodyLimit: "directory",
    handle: async ({ db, request, body: { token } }) => {
      const link = await readPasswordLink(db, { token, clientAddress: request.address });
      return { address: link.address, passwordLengthMin: link.passwordLengthMin };
    },
  }),

  setPasswordByLink: change({
    permission: "same_origin",
    body: z.object({ token: z.string().min(1).max(200), password: Password }),
    bodyLimit: "directory",
    handle: async ({ db, request, body: { token, password } }) => ({
      address: await setPasswordByLink(db, { token, password, clientAddress: request.address }),
    }),
  }),

  getMe: read({
    permission: "account_door",
    handle: async ({ ctx, mailbox, request, headers }) => {
      const { language } = mailbox;
      const overview = await getOverview(ctx, mailbox.address);
      const { "accept-language": accepted } = request.headers;
      const pageLanguage = language ?? requestLanguage({ "accept-language": accepted });
      // Chosen in another browser, or in this one by another user.
      if (pageLanguage !== requestLanguage(request.headers))
        headers.append("set-cookie", languageCookie(language));
      return {
        language,
        languages: LANGUAGES,
        pageLanguage,
        address: mailbox.address,
        name: mailbox.name,
        company: mailbox.companyName,
        mustChangePassword: mailbox.forcePasswordChange,
        providerId: mailbox.providerId,
        acceptsPassword: !mailbox.isProviderRequired,
        aliases: overview.aliases,
        usedBytes: overview.usedBytes,
        quotaBytes: overview.quotaMb * 1024 * 1024,
        messages: overview.messages,
        allows: {
          appPasswords: overview.areAppPasswordsAllowed,
          forwardingOutside: overview.isForwardingAllowed,
          calendar: config().calendar !== null && overview.isCalendarAllowed,
        },
        passwordLengthMin: overview.passwordLengthMin,
        showsQuarantine: overview.isQuarantineVisible,
        hasWebmail: config().webmail !== null,
      };
    },
  }),

  changePassword: change({
    permission: "account_door",
    body: z.object({ currentPassword: OptionalPassword, password: Password }),
    bodyLimit: "directory",
    handle: async ({ ctx, mailbox, body, request, headers }) => {
      const cookie = await changePassword(
        ctx,
        mailbox,
        { current: body.currentPassword, next: body.password },
        { clientAddress: request.address, userAgent: request.headers["user-agent"] ?? null },
      );
      headers.append("set-cookie", cookie);
      return { changed: true as const };
    },
  }),

  setLanguage: accountChange({
    body: z.object({ language: z.enum(LANGUAGES).nullable() }),
    handle: async ({ ctx, mailbox, body: { language }, headers }) => {
      await chooseLanguage(ctx, mailbox.address, language);
      headers.append("set-cookie", languageCookie(language));
      return { changed: true as const };
    },
  }),

  listSessions: accountRead({
    handle: async ({ ctx, mailbox }) => {
      const [browsers, mailApps] = await Promise.all([
        listAccountSessions(ctx, mailbox),
        listMailAppSessions(ctx, mailbox.address),
      ]);
      return {
        browsers: browsers.map(({ createdAt, ...session }) => ({
          ...session,
          createdAt: consoleTimestamp(createdAt),
        })),
        mailApps,
      };
    },
  }),

  endSession: accountChange({
    params: pathOf("Session not found", { id: z.string().regex(/^[0-9a-f]{32}$/) }),
    handle: async ({ ctx, mailbox, params }) => {
      if (!(await endListedSession(ctx, mailbox, params.id)))
        throw new Refusal("not_found", "Session not found");
      return { ended: true as const };
    },
  }),

  endMailAppSessions: accountChange({
    body: z.object({ clientAddress: z.union([z.ipv4(), z.ipv6()]) }),
    bodyLimit: "directory",
    handle: async ({ ctx, mailbox, body }) => {
      await endMailAppSessionsFrom(ctx, mailbox.address, body.clientAddress);
      return { ended: true as const };
    },
  }),

  endOtherSessions: accountChange({
    handle: async ({ ctx, mailbox }) => {
      await endOtherSessions(ctx, mailbox);
      return { ended: true as const };
    },
  }),
});

/** The mailbox user's second factors. */
export const secondFactorsAccount = pageEndpoints("account", "secondFactors", {
  ...factorEndpoints({
    permission: "account",
    password: OptionalPassword,
    findOwner: ({ ctx, mailbox }) => ({ db: ctx.db, owner: mailboxOwner(ctx, mailbox) }),
  }),

  get: accountRead({
    handle: async ({ ctx, mailbox }) => ({
      secondFactor: factorsObject(await getFactors(ctx.db, mailboxAccount(mailbox.address))),
    }),
  }),

  startProviderConfirmation: accountChange({
    handle: async ({ ctx, mailbox, request, headers }) => {
      const { token, url } = await startProviderConfirmation(ctx.db, mailbox, request.address);
      headers.append("set-cookie", stepCookie("account", token, ATTEMPT_MINUTES));
      return { url };
    },
  }),
});
