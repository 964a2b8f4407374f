import { z } from "zod";

const count = z.number();

/** What other mail servers reported about their encrypted deliveries to the domain. */
export const TlsReports = z.object({
  sessions: count.describe("Connections"),
  successful: count,
  failed: count,
  days: z.array(z.object({ day: z.string(), successful: count, failed: count })),
  failures: z.array(
    z.object({
      type: z.string().describe("Result type of RFC 8460, 4.3"),
      sessions: count,
      reporters: z.array(z.string()),
      mail_hosts: z.array(z.string()).describe("Of ours, as far as told"),
      reasons: z.array(z.string()).describe("In the reporters' words, as far as told"),
    }),
  ),
  reporters: z.array(z.string()),
});
