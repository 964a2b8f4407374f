import { z } from "zod";

import {
  confirmTotp,
  type Factor,
  finishPasskey,
  regenerateRecoveryCodes,
  removeFactor,
  renamePasskey,
  startPasskey,
  startTotp,
} from "#server/core/access/second-factors/factor-changes.ts";
import type { FactorOwner } from "#server/core/access/second-factors/factors.ts";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "#server/core/access/second-factors/passkeys.ts";
import { startPasskeyProof } from "#server/core/access/second-factors/proofs.ts";
import { qrPath } from "#server/core/mailboxes/client-settings/client-settings.ts";
import type { Db } from "#server/db/client.ts";

import type { ApiRequest } from "./api-request.ts";
import { type CallerOf, defineEndpoint } from "./endpoint.ts";
import { NewCredential, PasskeyId, ProofFields, RecoveryCodes } from "./factor-fields.ts";
import { sessionOrigin } from "./session-origin.ts";
import { trimmedText } from "./text-fields.ts";

type FactorArea<Base extends string, P extends "console_door" | "account"> = {
  base: Base;
  permission: P;
  /** Schema of `current_password`. */
  password: z.ZodType<string | undefined, string | undefined>;
  findOwner: (caller: CallerOf<P>) => { db: Db; owner: FactorOwner };
};

/** The endpoints with which admins, or mailbox users, change their own second factors. */
export function defineFactorEndpoints<
  const Base extends string,
  const P extends "console_door" | "account",
>({ base, permission, password, findOwner }: FactorArea<Base, P>) {
  const common = { permission, privilege: null, bodyLimit: "directory" } as const;
  const PasswordOnly = z.object({ current_password: password });
  const PasswordAndProof = z.object({ current_password: password, proof: ProofFields });
  const MaybeCodes = z.object({ recovery_codes: RecoveryCodes.nullable() });
  const Removed = z.object({ removed: z.literal(true) });

  type RemoveCall = CallerOf<P> & {
    body: z.output<typeof PasswordAndProof>;
    request: ApiRequest;
    headers: Headers;
  };
  async function remove(call: RemoveCall, factor: Factor) {
    const { body, request, headers } = call;
    const { db, owner } = findOwner(call);
    const shown = { factor, password: body.current_password, proof: body.proof };
    headers.append("set-cookie", await removeFactor(db, owner, shown, sessionOrigin(request)));
    return { removed: true as const };
  }

  return {
    startTotp: defineEndpoint({
      ...common,
      method: "POST",
      path: `${base}/totp`,
      summary: "Start setting up an authenticator app",
      body: PasswordOnly,
      response: z.object({
        secret: z.string().describe("Base32, for manual entry"),
        url: z.string(),
        qr: z.object({ size: z.number(), path: z.string() }),
      }),
      refusals: ["invalid", "rate_limit_exceeded"],
      async handle(call) {
        const { body, request } = call;
        const { db, owner } = findOwner(call);
        const shown = { password: body.current_password, clientAddress: request.address };
        const { secret, url } = await startTotp(db, owner, shown);
        return { secret, url, qr: qrPath(url) };
      },
    }),

    confirmTotp: defineEndpoint({
      ...common,
      method: "POST",
      path: `${base}/totp/confirm`,
      summary: "Confirm a new authenticator app with a code",
      body: z.object({ code: trimmedText(40) }),
      response: MaybeCodes,
      refusals: ["invalid", "not_allowed"],
      async handle(call) {
        const { body, request, headers } = call;
        const { db, owner } = findOwner(call);
        const added = await confirmTotp(db, owner, body.code, sessionOrigin(request));
        headers.append("set-cookie", added.cookie);
        return { recovery_codes: added.recoveryCodes };
      },
    }),

    removeTotp: defineEndpoint({
      ...common,
      method: "POST",
      path: `${base}/totp/remove`,
      summary: "Remove your authenticator app",
      body: PasswordAndProof,
      response: Removed,
      refusals: ["not_found", "invalid", "not_allowed", "rate_limit_exceeded"],
      handle: (call) => remove(call, { kind: "totp" }),
    }),

    startPasskey: defineEndpoint({
      ...common,
      method: "POST",
      path: `${base}/passkeys/options`,
      summary: "Start adding a passkey",
      body: PasswordOnly,
      response: z.object({ options: z.custom<PublicKeyCredentialCreationOptionsJSON>() }),
      refusals: ["invalid", "not_allowed", "rate_limit_exceeded"],
      async handle(call) {
        const { body, request } = call;
        const { db, owner } = findOwner(call);
        const shown = { password: body.current_password, clientAddress: request.address };
        return { options: await startPasskey(db, owner, shown) };
      },
    }),

    finishPasskey: defineEndpoint({
      ...common,
      method: "POST",
      path: `${base}/passkeys`,
      summary: "Add the passkey created by the browser",
      body: z.object({ name: z.string().max(1000), response: NewCredential }),
      response: MaybeCodes,
      refusals: ["invalid", "not_allowed"],
      async handle(call) {
        const { body, request, headers } = call;
        const { db, owner } = findOwner(call);
        const added = await finishPasskey(db, owner, body, sessionOrigin(request));
        headers.append("set-cookie", added.cookie);
        return { recovery_codes: added.recoveryCodes };
      },
    }),

    renamePasskey: defineEndpoint({
      ...common,
      method: "PATCH",
      path: `${base}/passkeys/{id}`,
      summary: "Rename one of your passkeys",
      params: PasskeyId,
      body: z.object({ name: z.string().max(1000) }),
      response: z.object({ changed: z.literal(true) }),
      refusals: ["not_found", "invalid"],
      notFound: "Passkey not found",
      async handle(call) {
        const { params, body } = call;
        const { db, owner } = findOwner(call);
        await renamePasskey(db, owner, { id: params.id, name: body.name });
        return { changed: true as const };
      },
    }),

    removePasskey: defineEndpoint({
      ...common,
      method: "POST",
      path: `${base}/passkeys/{id}/remove`,
      summary: "Remove one of your passkeys",
      params: PasskeyId,
      body: PasswordAndProof,
      response: Removed,
      refusals: ["not_found", "invalid", "not_allowed", "rate_limit_exceeded"],
      notFound: "Passkey not found",
      handle: (call) => remove(call, { kind: "passkey", id: call.params.id }),
    }),

    getPasskeyChallenge: defineEndpoint({
      ...{ permission, privilege: null },
      method: "POST",
      path: `${base}/proof/options`,
      summary: "Get a passkey challenge to confirm a security change",
      response: z.object({ options: z.custom<PublicKeyCredentialRequestOptionsJSON>() }),
      refusals: ["not_allowed"],
      async handle(call) {
        const { db, owner } = findOwner(call);
        return { options: await startPasskeyProof(db, owner) };
      },
    }),

    regenerateRecoveryCodes: defineEndpoint({
      ...common,
      method: "POST",
      path: `${base}/recovery-codes`,
      summary: "Generate ten new recovery codes. The current codes stop working",
      body: PasswordAndProof,
      response: z.object({ recovery_codes: RecoveryCodes }),
      refusals: ["invalid", "not_allowed", "rate_limit_exceeded"],
      async handle(call) {
        const { body, request } = call;
        const { db, owner } = findOwner(call);
        const { current_password: password, proof } = body;
        const shown = { password, proof, clientAddress: request.address };
        return { recovery_codes: await regenerateRecoveryCodes(db, owner, shown) };
      },
    }),
  };
}
