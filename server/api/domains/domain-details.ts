import { z } from "zod";

import type { DomainRecordKind } from "#drizzle/schema/index.ts";
import type { DomainDetails } from "#server/core/domains/domains/domains.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";

import { DomainObject, domainObject } from "./domain-object.ts";

const RecordName = z.enum(["Ownership", "SPF", "DKIM", "DMARC", "MX", "Tracking"]);

/** Records in the API, by kind; the other kinds appear in the console only. */
const RECORD_NAMES: { [Kind in DomainRecordKind]?: z.output<typeof RecordName> } = {
  ...{ ownership: "Ownership", spf: "SPF", dkim: "DKIM", dmarc: "DMARC", mx: "MX" },
  tracking: "Tracking",
};

const RecordObject = z.object({
  record: RecordName.describe(
    "Purpose of the record. `Tracking` only for a domain with a `tracking_subdomain`",
  ),
  name: z.string().describe("Hostname to publish the record at"),
  type: z.enum(["TXT", "MX", "CNAME"]).describe("DNS record type"),
  ttl: z.literal("Auto").describe("TTL: use your DNS provider's default"),
  status: z
    .enum(["verified", "pending"])
    .describe("`verified` if the last check found the record with this value"),
  value: z.string().describe("Value to publish. Empty while the DKIM key is being generated"),
  priority: z.int().optional().describe("Priority, for MX records only"),
});

export const DomainDetailsObject = DomainObject.extend({
  open_tracking: z.boolean().describe("Whether opens are tracked"),
  click_tracking: z.boolean().describe("Whether clicks are tracked"),
  tracking_subdomain: z
    .string()
    .optional()
    .describe(
      "Label of the host below the domain that tracking and unsubscribe links use once its record is verified. Absent if they use this server's host",
    ),
  records: z
    .array(RecordObject)
    .describe(
      "DNS records to publish. Until ownership is verified, only the Ownership record; then SPF and DKIM, which are required to send, and DMARC and MX. The SPF value includes your existing SPF record, so always publish the value returned here",
    ),
}).meta({ id: "DomainDetails" });

/** @param region from the appliance settings */
export function domainDetailsObject(
  { domain, records, receives }: Pick<DomainDetails, "domain" | "records" | "receives">,
  region: string,
) {
  return {
    ...domainObject({ ...domain, receives }, region),
    open_tracking: domain.openTracking,
    click_tracking: domain.clickTracking,
    ...(domain.trackingSubdomain !== null && { tracking_subdomain: domain.trackingSubdomain }),
    records: records
      .filter(({ record }) => domain.ownershipProvenAt !== null || record === "ownership")
      .flatMap(recordObject),
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
