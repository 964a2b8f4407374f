import { z } from "zod";

const count = z.number();

const DmarcSource = z.object({
  address: z.string(),
  host: z.string().nullable().describe("The name of the address, if it has one"),
  messages: count,
  passed: count.describe("Messages that passed DMARC: by DKIM, by SPF or by both"),
  dkim_passed: count,
  spf_passed: count,
  quarantined: count,
  rejected: count,
  header_from: z.array(z.string()),
  reporters: z.array(z.string()),
});

/** What mailbox providers reported about mail that names the domain as its sender. */
export const DmarcReports = z.object({
  messages: count,
  passed: count,
  days: z.array(z.object({ day: z.string(), passed: count, failed: count })),
  sources: z.array(DmarcSource).describe("Those with the most messages first, at most 100"),
  source_count: count.describe("Of all servers that sent"),
  reporters: z.array(z.string()),
  policy: z
    .enum(["none", "quarantine", "reject"])
    .nullable()
    .describe("As the newest report saw it"),
});

/** The span of reports, in days up to today. */
export const ReportDays = z.object({
  days: z
    .enum(["7", "30", "90"], { error: "must be 7, 30 or 90" })
    .default("30")
    .transform((days) => Number(days)),
});
