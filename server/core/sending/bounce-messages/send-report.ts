import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import type { Db } from "#server/db/client.ts";

import { composeReport, type Report, reportHeader } from "./compose-report.ts";
import { loadReturned } from "./load-returned.ts";
import type { Settled } from "./settled.ts";

/** Recipients listed in a report. */
const NAMED_MAX = 100;

/**
 * Queues a delivery status report and links it to all recipients it is about. It lists the first 100.
 *
 * @param recipients of one message or distribution; at least one, all with the same result
 * @param to bare addresses; if empty, no report is sent
 * @returns whether a report was sent
 */
export async function sendReport(
  db: Db,
  hostname: string,
  { recipients, to }: Pick<Report, "recipients" | "to">,
): Promise<boolean> {
  const [{ message, result }] = recipients as [Settled];
  if (to.length === 0) return false;
  const returned = await loadReturned(db, message, result);
  const named = recipients.slice(0, NAMED_MAX);
  const report: Report = { hostname, message, recipients: named, to, returned, now: new Date() };
  const header = reportHeader(report);
  const id = uuidv7();
  await acceptMessage(db, {
    ...{ id, companyId: message.companyId, origin: "report", mailbox: null, groupAddress: null },
    ...{ sender: "", isSenderTold: false, signingDomainId: null, clientAddress: null },
    content: composeReport(report, header),
    recipients: to.map((address) => ({ address, notify: ["never"] })),
    headerFrom: header.from,
    subject: header.subject,
    messageId: header.messageId,
  });
  if (result === "bounced") await noteReport(db, id, recipients);
  return true;
}

async function noteReport(db: Db, reportId: string, recipients: Settled[]): Promise<void> {
  const ids = recipients.map(({ rowId }) => rowId);
  await db.execute(sql`
    update message_recipients set report_id = ${reportId}::uuid
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))`);
}
