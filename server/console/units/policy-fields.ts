import { z } from "zod";

import type {
  PolicyInForce,
  PolicyName,
} from "#server/core/mailboxes/org-units/policies-in-force.ts";
import type { UnitPolicies } from "#server/core/mailboxes/org-units/set-policies.ts";

/** Policies as the console calls them. */
const POLICY_FIELDS = {
  defaultQuotaMb: "default_quota_mb",
  imapAllowed: "imap_allowed",
  pop3Allowed: "pop3_allowed",
  submissionAllowed: "submission_allowed",
  outsideAllowed: "outside_allowed",
  appPasswordsAllowed: "app_passwords_allowed",
  passwordLengthMin: "password_length_min",
} as const satisfies Record<PolicyName, string>;

const PolicyField = z.enum(POLICY_FIELDS);

/** What a unit may set; null takes over what holds above it. */
export const PolicyChanges = z
  .object({
    default_quota_mb: z.number().nullable(),
    imap_allowed: z.boolean().nullable(),
    pop3_allowed: z.boolean().nullable(),
    submission_allowed: z.boolean().nullable(),
    outside_allowed: z.boolean().nullable(),
    app_passwords_allowed: z.boolean().nullable(),
    password_length_min: z.number().nullable(),
  })
  .partial();

/** A policy where it holds. */
export const PolicyAnswer = z.object({
  name: PolicyField,
  value: z
    .union([z.boolean(), z.int()])
    .nullable()
    .describe("Null for the size of new mailboxes where the company's usual one holds"),
  from: z
    .object({ id: z.int().nullable(), name: z.string() })
    .nullable()
    .describe("The unit that says so, without id where it may not be seen; null where none does"),
});

export const policyAnswer = ({
  name,
  value,
  from,
}: PolicyInForce): z.input<typeof PolicyAnswer> => ({
  ...{ name: POLICY_FIELDS[name], value, from },
});

/** What of a change is about policies, as core takes it; what is left out stays. */
export function policiesIn(body: z.output<typeof PolicyChanges>): Partial<UnitPolicies> {
  return Object.fromEntries(
    Object.entries(POLICY_FIELDS)
      .map(([name, field]) => [name, body[field]] as const)
      .filter(([, value]) => value !== undefined),
  );
}
