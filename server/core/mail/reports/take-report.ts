import { readOffLoop } from "#server/core/mail/incoming/read-off-loop.ts";
import type { Reading } from "#server/core/mail/incoming/read-incoming.ts";
import type { Db } from "#server/db/client.ts";

import { storeDmarcReport } from "./store-dmarc-report.ts";
import { storeTlsReport } from "./store-tls-report.ts";

/**
 * Takes in a message with DMARC aggregate reports (RFC 7489, RFC 9990) or TLS reports (RFC 8460) about
 * domains of this appliance; they are committed when it resolves. Whatever else a message is, and
 * whatever it does to be costly, it is nothing.
 *
 * @throws Error only for trouble of ours: the message may be handed in again
 */
export async function takeReport(db: Db, message: Buffer): Promise<"dmarc" | "tls" | "nothing"> {
  const reading = await readOffLoop(message);
  return reading.kind === "reports" ? storeReports(db, reading) : "nothing";
}

/** Commits the reports of a message that has been read. */
export async function storeReports(
  db: Db,
  { dmarc, tls }: Extract<Reading, { kind: "reports" }>,
): Promise<"dmarc" | "tls" | "nothing"> {
  let taken: "dmarc" | "tls" | "nothing" = "nothing";
  for (const report of tls) if (await storeTlsReport(db, report)) taken = "tls";
  for (const report of dmarc) if (await storeDmarcReport(db, report)) taken = "dmarc";
  return taken;
}
