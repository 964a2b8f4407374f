import { z } from "zod";

import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
} from "#server/core/access/second-factors/passkeys.ts";
import type { Proof } from "#server/core/access/second-factors/proofs.ts";

import { Password } from "./text-fields.ts";

const Bytes = z.base64url().max(10_000);

/** The JSON of a browser's `get` response (WebAuthn Level 3, 5.1). Its content is verified later. */
const Assertion = z
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
export const NewCredential = z
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

export const Signed = Assertion;

/** A second factor: exactly one of the three. */
export const ProofFields = z
  .object({
    code: z.string().trim().min(1).max(40).optional(),
    recovery_code: z.string().trim().min(1).max(80).optional(),
    passkey: Assertion.optional(),
  })
  .refine((proof) => Object.keys(proof).length === 1, {
    error: "must contain exactly one of code, recovery_code, and passkey",
  })
  .transform(({ code, recovery_code: recoveryCode, passkey }): Proof => {
    if (code !== undefined) return { code };
    return recoveryCode !== undefined ? { recoveryCode } : { passkey: passkey! };
  });

/** A mailbox user's own password. */
export const OptionalPassword = Password.optional().describe(
  "Optional for ten minutes after verifying your identity with the identity provider",
);

/** A mailbox user's proof of identity, for a change that gives others access to the mail. */
export const identityFields = {
  current_password: OptionalPassword,
  proof: ProofFields.optional().describe("Required if you have a second factor"),
};

/** Ten codes. */
export const RecoveryCodes = z
  .array(z.string())
  .describe("Shown once: with the first factor, or when regenerated");

/** A credential id, base64url. */
export const PasskeyId = z.object({ id: z.base64url().max(1_400) });
