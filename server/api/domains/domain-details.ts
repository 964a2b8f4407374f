import { z } from "zod";

import type { DomainRecordKind } from "#drizzle/schema/index.ts";
import type { DomainDetails } from "#server/core/domains/domains/get-domain.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";

import { DomainObject, domainObject } from "./domain-object.ts";

/** What the API calls a record; the others are offered in the console only. */
const RECORD_NAMES: { [Kind in DomainRecordKind]?: "Ownership" | "SPF" | "DKIM" | "DMARC" | "MX" } =
  { ownership: "Ownership", spf: "SPF", dkim: "DKIM", dmarc: "DMARC", mx: "MX" };

const RecordObject = z.object({
  record: z.enum(["Ownership", "SPF", "DKIM", "DMARC", "MX"]).describe("What it is for"),
  name: z.string().describe("Host at which to publish it"),
  type: z.enum(["TXT", "MX"]).describe("Type of the DNS record"),
  ttl: z.literal("Auto").describe("How long it may be kept: whatever your DNS gives"),
  status: z
    .enum(["verified", "pending"])
    .describe("`verified` when the last check found it with this value"),
  value: z.string().describe("What to publish. Empty while the DKIM key is being made"),
  priority: z.int().optional().describe("Of MX records only"),
});

/** One domain, with the records to publish. */
export const DomainDetailsObject = DomainObject.extend({
  open_tracking: z.boolean().describe("Opened emails are noticed"),
  click_tracking: z.boolean().describe("Followed links are noticed"),
  records: z
    .array(RecordObject)
    .describe(
      "The Ownership record until the ownership is proven; then SPF and DKIM, which sending needs, DMARC and MX. A value may hold what you have published already, so always publish the value given here",
    ),
}).meta({ id: "DomainDetails" });

/** @param region the run-time setting */
export function domainDetailsObject(
  { domain, records, receives }: Omit<DomainDetails, "findings">,
  region: string,
) {
  return {
    ...domainObject({ ...domain, receives }, region),
    open_tracking: domain.openTracking,
    click_tracking: domain.clickTracking,
    records: records.flatMap(recordObject),
  };
}

function recordObject({ record, name, type, value, priority, isVerified }: DomainRecord) {
  const shownAs = RECORD_NAMES[record];
  if (!shownAs) return [];
  return {
    record: shownAs,
    ...{ name, type, value },
    ttl: "Auto" as const,
    status: isVerified ? ("verified" as const) : ("pending" as const),
    ...(priority !== undefined && { priority }),
  };
}
