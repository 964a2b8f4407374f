import { z } from "zod";

import type {
  EffectivePolicy,
  PolicyName,
} from "#server/core/mailboxes/org-units/unit-policies.ts";
import type { UnitPolicies } from "#server/core/mailboxes/org-units/units.ts";

/** Names in the API. */
const POLICY_FIELDS = {
  defaultQuotaMb: "default_quota_mb",
  imapAllowed: "imap_allowed",
  pop3Allowed: "pop3_allowed",
  submissionAllowed: "submission_allowed",
  outsideAllowed: "outside_allowed",
  appPasswordsAllowed: "app_passwords_allowed",
  passwordLengthMin: "password_length_min",
  quarantineDigest: "quarantine_digest",
  quarantineRelease: "quarantine_release",
} as const satisfies Record<PolicyName, string>;

const PolicyField = z.enum(POLICY_FIELDS);

const Digest = z.enum(["off", "daily"]);
const Release = z.enum(["none", "spam"]);

/** Null inherits the parent's value. */
export const PolicyChanges = z
  .object({
    default_quota_mb: z.number().nullable(),
    imap_allowed: z.boolean().nullable(),
    pop3_allowed: z.boolean().nullable(),
    submission_allowed: z.boolean().nullable(),
    outside_allowed: z.boolean().nullable(),
    app_passwords_allowed: z.boolean().nullable(),
    password_length_min: z.number().nullable(),
    quarantine_digest: Digest.nullable(),
    quarantine_release: Release.nullable(),
  })
  .partial();

export const PolicyResponse = z.object({
  name: PolicyField,
  value: z
    .union([z.boolean(), z.int(), Digest, Release])
    .nullable()
    .describe("Null for `default_quota_mb` when the company default applies"),
  from: z
    .object({ id: z.int().nullable(), name: z.string() })
    .nullable()
    .describe(
      "The unit that sets it, with a null ID if the admin has no access to it; null if no unit does",
    ),
});

export const policyResponse = ({
  name,
  value,
  from,
}: EffectivePolicy): z.input<typeof PolicyResponse> => ({
  ...{ name: POLICY_FIELDS[name], value, from },
});

/** Omitted policies stay unchanged. */
export function policiesFromBody(body: z.output<typeof PolicyChanges>): Partial<UnitPolicies> {
  return Object.fromEntries(
    Object.entries(POLICY_FIELDS)
      .map(([name, field]) => [name, body[field]] as const)
      .filter(([, value]) => value !== undefined),
  );
}
