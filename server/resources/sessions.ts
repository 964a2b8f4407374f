import { z } from "zod";

import { config } from "#server/config.ts";
import {
  hasSeveralCompanies,
  listCompaniesOfPerson,
} from "#server/core/access/companies/companies.ts";
import {
  completeSecondStep,
  finishPasskeySignIn,
  finishProviderSignIn,
  signInAdmin,
  startPasskeySignIn,
} from "#server/core/access/people/person-sign-in.ts";
import { PASSKEY_MINUTES } from "#server/core/access/second-factors/passkeys.ts";
import { STEP_MINUTES } from "#server/core/access/second-factors/factor-step.ts";
import { switchCompany } from "#server/core/access/sessions/console-sessions.ts";
import { endSession, findSignedIn } from "#server/core/access/sessions/sessions.ts";
import { readStepCookie, stepCookie } from "#server/core/access/sign-in/steps.ts";
import { findSendingDomain } from "#server/core/domains/domains/sending-domains.ts";
import { hasOpenImport } from "#server/core/mailboxes/mailbox-imports/mailbox-imports.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { ApiRequest } from "#server/http/api-request.ts";
import { ProviderResponse, providerStart } from "#server/http/single-sign-on.ts";
import { change, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
import {
  Assertion,
  ProofFields,
  secondFactorRequired,
  sessionOrigin,
  SIGNED_IN,
} from "#server/http/second-factors.ts";
import { Password, trimmedText } from "#server/http/text-fields.ts";

/** Sets the new session's cookie and ends the browser's previous session and sign-in step. */
export async function replaceSession(
  db: Parameters<typeof endSession>[0],
  request: ApiRequest,
  headers: Headers,
  cookie: string,
): Promise<void> {
  const before = await findSignedIn(db, request.headers.cookie ?? "");
  if (before) await endSession(db, before.sessionId);
  headers.append("set-cookie", cookie);
  headers.append("set-cookie", stepCookie("console", "", 0));
}

/** Signing in and out, and the signed-in admin. */
export const sessionsConsole = pageEndpoints("console", "sessions", {
  signIn: change({
    permission: "same_origin",
    body: z.object({
      email: trimmedText(254),
      password: Password,
    }),
    bodyLimit: "directory",
    handle: async ({ db, request, body, headers }) => {
      const result = await signInAdmin(db, { ...body, origin: sessionOrigin(request) });
      if (result.kind === "signed_in") {
        await replaceSession(db, request, headers, result.cookie);
        return SIGNED_IN;
      }
      headers.append("set-cookie", stepCookie("console", result.token, STEP_MINUTES));
      return secondFactorRequired(result.factors);
    },
  }),

  signOut: change({
    // Also available to admins who must set up a second factor first.
    permission: "console_door",
    privilege: null,
    handle: async ({ ctx, signedIn, headers }) => {
      headers.append("set-cookie", await endSession(ctx.db, signedIn.sessionId));
      return { signedIn: false as const };
    },
  }),

  secondFactor: change({
    permission: "same_origin",
    body: ProofFields,
    bodyLimit: "directory",
    handle: async ({ db, request, body, headers }) => {
      const token = readStepCookie("console", request.headers.cookie ?? "");
      const cookie = await completeSecondStep(db, {
        token,
        proof: body,
        origin: sessionOrigin(request),
      });
      await replaceSession(db, request, headers, cookie);
      return { signedIn: true as const };
    },
  }),

  passkeyOptions: change({
    permission: "same_origin",
    handle: async ({ db, headers }) => {
      const { token, options } = await startPasskeySignIn(db);
      headers.append("set-cookie", stepCookie("console", token, PASSKEY_MINUTES));
      return { options };
    },
  }),

  passkeySignIn: change({
    permission: "same_origin",
    body: z.object({ response: Assertion }),
    bodyLimit: "directory",
    handle: async ({ db, request, body, headers }) => {
      const token = readStepCookie("console", request.headers.cookie ?? "");
      const { response } = body;
      const cookie = await finishPasskeySignIn(db, {
        token,
        response,
        origin: sessionOrigin(request),
      });
      await replaceSession(db, request, headers, cookie);
      return { signedIn: true as const };
    },
  }),

  startProviderSignIn: providerStart("console"),

  providerSignIn: change({
    permission: "same_origin",
    body: ProviderResponse,
    bodyLimit: "directory",
    handle: async ({ db, request, body: answer, headers }) => {
      const token = readStepCookie("console", request.headers.cookie ?? "");
      const origin = sessionOrigin(request);
      const result = await finishProviderSignIn(db, { token, answer, origin });
      if (result.kind === "signed_in") {
        await replaceSession(db, request, headers, result.cookie);
        return SIGNED_IN;
      }
      headers.append("set-cookie", stepCookie("console", result.token, STEP_MINUTES));
      return secondFactorRequired(result.factors);
    },
  }),

  getMe: read({
    permission: "console_door",
    privilege: null,
    handle: async ({ ctx, signedIn }) => ({
      email: signedIn.email,
      name: signedIn.name,
      isOwner: signedIn.isOwner,
      isOperator: signedIn.isOperator,
      secondFactorDue: signedIn.isSecondFactorDue,
      providerId: signedIn.providerId,
      privileges: [...new Set([...signedIn.privileges, ...signedIn.units.keys()])],
      wholePrivileges: [...signedIn.privileges],
      companies: (await listCompaniesOfPerson(ctx.db, signedIn)).map(({ id, name }) => ({
        id,
        name,
      })),
      company: {
        id: signedIn.companyId,
        name: signedIn.companyName,
        sendingDomain: await findSendingDomain(ctx),
      },
      /** The admin started an import that runs or has temporary passwords to save. */
      hasOpenMailboxImport: await hasOpenImport(ctx, signedIn),
      isLocalMode: config().localMode,
      /** Only for operators, who see all companies of the server. */
      hasSeveralCompanies: signedIn.isOperator && (await hasSeveralCompanies(ctx)),
      deletedKeptDays: (await currentSettings(ctx.db)).keep_deleted_days,
    }),
  }),

  switchCompany: change({
    permission: "console_door",
    privilege: null,
    params: pathOf("Company not found", { id: z.uuid() }),
    handle: async ({ ctx, signedIn, params, request, headers }) => {
      headers.append(
        "set-cookie",
        await switchCompany(ctx.db, signedIn, params.id, sessionOrigin(request)),
      );
      return { signedIn: true as const };
    },
  }),
});
