import { z } from "zod";

import { DNS_HOST_IDS } from "#server/core/domains/dns-setup/dns-setup.ts";
import { RecordKind } from "./domain-row.ts";

/** Other characters can't be sent to a provider. */
const Secret = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]*$/, { error: "contains a space or a character that isn't ASCII" });

/** Used for one request; see `server/core/domains/dns-setup`. */
export const SetupAccess = z.object({
  provider: z.enum(DNS_HOST_IDS),
  token: Secret.min(1).max(500),
  key_id: Secret.max(128).optional().describe("The access key ID; Route 53 only"),
});

const PlannedChange = z.object({
  key: z.string(),
  kind: RecordKind,
  type: z.enum(["TXT", "MX", "CNAME"]),
  name: z.string(),
  action: z.enum(["create", "replace", "keep", "blocked"]),
  before: z.array(z.string()),
  after: z.string(),
  priority: z.number().nullable(),
  needs_confirmation: z.boolean(),
});

export const SetupPlan = z.object({
  zone: z.string(),
  digest: z.string().describe("Identifies the changes"),
  changes: z.array(PlannedChange),
});

export const SetupResults = z.object({
  results: z.array(
    z.object({
      key: z.string(),
      name: z.string(),
      type: z.string(),
      outcome: z.enum(["published", "failed", "skipped"]),
      error: z.string().nullable(),
    }),
  ),
});

export const toAccess = ({ provider, token, key_id: keyId }: z.output<typeof SetupAccess>) => ({
  host: provider,
  credentials: { token, keyId: keyId ?? null },
});
