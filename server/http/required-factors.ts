import { z } from "zod";

import type { PublicKeyCredentialRequestOptionsJSON } from "#server/core/access/second-factors/passkeys.ts";
import type { FactorChoices } from "#server/core/access/second-factors/factor-step.ts";

/** The response to a sign-in with a password. */
export const SignInAnswer = z.object({
  signed_in: z.boolean(),
  second_factor: z
    .object({
      totp: z.boolean(),
      recovery_code: z.boolean(),
      passkey: z
        .custom<PublicKeyCredentialRequestOptionsJSON>()
        .nullable()
        .describe("Challenge for the user's passkeys"),
    })
    .nullable()
    .describe("One of these factors must be verified before the session starts"),
});

export const SIGNED_IN: z.input<typeof SignInAnswer> = { signed_in: true, second_factor: null };

export const secondFactorRequired = ({
  totp,
  recoveryCode,
  passkey,
}: FactorChoices): z.input<typeof SignInAnswer> => ({
  signed_in: false,
  second_factor: { totp, recovery_code: recoveryCode, passkey },
});
