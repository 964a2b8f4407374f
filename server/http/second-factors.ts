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
import type { FactorOwner, Factors } from "#server/core/access/second-factors/factors.ts";
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  relyingParty,
} from "#server/core/access/second-factors/passkeys.ts";
import { type Proof, startPasskeyProof } from "#server/core/access/second-factors/proofs.ts";
import type { FactorChoices } from "#server/core/access/second-factors/factor-step.ts";
import { qrPath } from "#server/core/mailboxes/client-settings/client-settings.ts";
import type { Db } from "#server/db/client.ts";

import type { ApiRequest } from "./api-request.ts";
import { type CallerOf, change, pathOf } from "./endpoint.ts";
import { Password, trimmedText } from "./text-fields.ts";
import { consoleTimestamp } from "./timestamps.ts";

type FactorArea<P extends "console_door" | "account"> = {
  permission: P;
  /** Schema of `currentPassword`. */
  password: z.ZodType<string | undefined, string | undefined>;
  findOwner: (caller: CallerOf<P>) => { db: Db; owner: FactorOwner };
};

/** The endpoints with which admins, or mailbox users, change their own second factors. */
export function factorEndpoints<const P extends "console_door" | "account">({
  permission,
  password,
  findOwner,
}: FactorArea<P>) {
  const common = { permission, privilege: null, bodyLimit: "directory" } as const;
  const PasswordOnly = z.object({ currentPassword: password });
  const PasswordAndProof = z.object({ currentPassword: password, proof: ProofFields });

  type RemoveCall = CallerOf<P> & {
    body: z.output<typeof PasswordAndProof>;
    request: ApiRequest;
    headers: Headers;
  };
  async function remove(call: RemoveCall, factor: Factor) {
    const { body, request, headers } = call;
    const { db, owner } = findOwner(call);
    const shown = { factor, password: body.currentPassword, proof: body.proof };
    headers.append("set-cookie", await removeFactor(db, owner, shown, sessionOrigin(request)));
    return { removed: true as const };
  }

  return {
    startTotp: change({
      ...common,
      body: PasswordOnly,
      async handle(call) {
        const { body, request } = call;
        const { db, owner } = findOwner(call);
        const shown = { password: body.currentPassword, clientAddress: request.address };
        const { secret, url } = await startTotp(db, owner, shown);
        return { secret, url, qr: qrPath(url) };
      },
    }),

    confirmTotp: change({
      ...common,
      body: z.object({ code: trimmedText(40) }),
      async handle(call) {
        const { body, request, headers } = call;
        const { db, owner } = findOwner(call);
        const added = await confirmTotp(db, owner, body.code, sessionOrigin(request));
        headers.append("set-cookie", added.cookie);
        return { recoveryCodes: added.recoveryCodes };
      },
    }),

    removeTotp: change({
      ...common,
      body: PasswordAndProof,
      handle: (call) => remove(call, { kind: "totp" }),
    }),

    startPasskey: change({
      ...common,
      body: PasswordOnly,
      async handle(call) {
        const { body, request } = call;
        const { db, owner } = findOwner(call);
        const shown = { password: body.currentPassword, clientAddress: request.address };
        return { options: await startPasskey(db, owner, shown) };
      },
    }),

    finishPasskey: change({
      ...common,
      body: z.object({ name: z.string().max(1000), response: NewCredential }),
      async handle(call) {
        const { body, request, headers } = call;
        const { db, owner } = findOwner(call);
        const added = await finishPasskey(db, owner, body, sessionOrigin(request));
        headers.append("set-cookie", added.cookie);
        return { recoveryCodes: added.recoveryCodes };
      },
    }),

    renamePasskey: change({
      ...common,
      params: PasskeyId,
      body: z.object({ name: z.string().max(1000) }),
      async handle(call) {
        const { params, body } = call;
        const { db, owner } = findOwner(call);
        await renamePasskey(db, owner, { id: params.id, name: body.name });
        return { changed: true as const };
      },
    }),

    removePasskey: change({
      ...common,
      params: PasskeyId,
      body: PasswordAndProof,
      handle: (call) => remove(call, { kind: "passkey", id: call.params.id }),
    }),

    getPasskeyChallenge: change({
      permission,
      privilege: null,
      async handle(call) {
        const { db, owner } = findOwner(call);
        return { options: await startPasskeyProof(db, owner) };
      },
    }),

    regenerateRecoveryCodes: change({
      ...common,
      body: PasswordAndProof,
      async handle(call) {
        const { body, request } = call;
        const { db, owner } = findOwner(call);
        const { currentPassword: password, proof } = body;
        const shown = { password, proof, clientAddress: request.address };
        return { recoveryCodes: await regenerateRecoveryCodes(db, owner, shown) };
      },
    }),
  };
}

const Bytes = z.base64url().max(10_000);

/** The JSON of a browser's `get` response (WebAuthn Level 3, 5.1). Its content is verified later. */
export const Assertion = z
  .object({
    id: Bytes,
    rawId: Bytes,
    type: z.literal("public-key"),
    response: z.object({
      clientDataJSON: Bytes,
      authenticatorData: Bytes,
      signature: Bytes,
      userHandle: Bytes.optional(),
    }),
    clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
    authenticatorAttachment: z.enum(["cross-platform", "platform"]).optional(),
  })
  .transform((value) => value as AuthenticationResponseJSON);

/** The JSON of a browser's `create` response. */
const NewCredential = z
  .object({
    id: Bytes,
    rawId: Bytes,
    type: z.literal("public-key"),
    response: z.object({
      clientDataJSON: Bytes,
      attestationObject: z.base64url().max(50_000),
      transports: z.array(z.string().max(40)).max(10).optional(),
    }),
    clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
    authenticatorAttachment: z.enum(["cross-platform", "platform"]).optional(),
  })
  .transform((value) => value as RegistrationResponseJSON);

/** A second factor: exactly one of the three. */
export const ProofFields = z
  .object({
    code: z.string().trim().min(1).max(40).optional(),
    recoveryCode: z.string().trim().min(1).max(80).optional(),
    passkey: Assertion.optional(),
  })
  .refine((proof) => Object.keys(proof).length === 1, {
    error: "must contain exactly one of code, recovery_code, and passkey",
  })
  .transform(({ code, recoveryCode, passkey }): Proof => {
    if (code !== undefined) return { code };
    return recoveryCode !== undefined ? { recoveryCode } : { passkey: passkey! };
  });

/** A mailbox user's own password. */
export const OptionalPassword = Password.optional().describe(
  "Optional for ten minutes after verifying your identity with the identity provider",
);

/** A mailbox user's proof of identity, for a change that gives others access to the mail. */
export const identityFields = {
  currentPassword: OptionalPassword,
  proof: ProofFields.optional().describe("Required if you have a second factor"),
};

/** A credential id, base64url. */
const PasskeyId = pathOf("Passkey not found", { id: z.base64url().max(1_400) });

export const factorsObject = (factors: Factors) => ({
  totp: factors.hasTotp,
  passkeys: factors.passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
    id,
    name,
    createdAt: consoleTimestamp(createdAt),
    lastUsedAt: lastUsedAt && consoleTimestamp(lastUsedAt),
  })),
  recoveryCodesLeft: factors.recoveryCodesLeft,
  /** At least one of the user's companies requires a second factor. */
  isRequired: factors.isRequired,
  /** The console's URL supports passkeys (HTTPS and a domain name). */
  passkeysPossible: relyingParty() !== null,
});

/** The answer to a sign-in with a password. With `secondFactor`, one of those must be verified before the session starts. */
type SignInAnswer = { signedIn: boolean; secondFactor: FactorChoices | null };

export const SIGNED_IN: SignInAnswer = { signedIn: true, secondFactor: null };

export const secondFactorRequired = ({
  totp,
  recoveryCode,
  passkey,
}: FactorChoices): SignInAnswer => ({
  signedIn: false,
  secondFactor: { totp, recoveryCode, passkey },
});

/** The client address and user agent stored with a session. */
export const sessionOrigin = ({ address, headers }: Pick<ApiRequest, "address" | "headers">) => ({
  clientAddress: address,
  userAgent: headers["user-agent"] ?? null,
});
