import { z } from "zod";

import type { Factors } from "#server/core/access/second-factors/factors.ts";
import { relyingParty } from "#server/core/access/second-factors/passkeys.ts";

const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});

export const FactorsObject = z.object({
  totp: z.boolean(),
  passkeys: z.array(Passkey),
  recovery_codes_left: z.number(),
  is_required: z.boolean().describe("At least one of your companies requires a second factor"),
  passkeys_possible: z
    .boolean()
    .describe("The console's URL supports passkeys (HTTPS and a domain name)"),
});

export const factorsObject = (factors: Factors): z.input<typeof FactorsObject> => ({
  totp: factors.hasTotp,
  passkeys: factors.passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
    id,
    name,
    created_at: rfc3339(createdAt),
    last_used_at: lastUsedAt && rfc3339(lastUsedAt),
  })),
  recovery_codes_left: factors.recoveryCodesLeft,
  is_required: factors.isRequired,
  passkeys_possible: relyingParty() !== null,
});

const rfc3339 = (time: string) => new Date(time).toISOString();
