import { z } from "zod";

const count = z.number();

const DmarcSource = z.object({
  address: z.string(),
  host: z.string().nullable().describe("Verified hostname of the address"),
  messages: count,
  passed: count.describe("Messages that passed DMARC through DKIM, SPF, or both"),
  dkim_passed: count,
  spf_passed: count,
  quarantined: count,
  rejected: count,
  header_from: z.array(z.string()),
  reporters: z.array(z.string()),
});

export const DmarcReports = z.object({
  messages: count,
  passed: count,
  days: z.array(z.object({ day: z.string(), passed: count, failed: count })),
  sources: z.array(DmarcSource).describe("Up to 100, most messages first"),
  source_count: count.describe("Total number of sources"),
  reporters: z.array(z.string()),
  policy: z
    .enum(["none", "quarantine", "reject"])
    .nullable()
    .describe("Policy in the latest report"),
});

/** The report period in days, ending today. */
export const ReportDays = z.object({
  days: z
    .enum(["7", "30", "90"], { error: "must be 7, 30 or 90" })
    .default("30")
    .transform((days) => Number(days)),
});
