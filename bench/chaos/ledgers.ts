import { sql } from "drizzle-orm";

import type { MailLedger } from "#server/core/operations/ledger/audit-mail.ts";
import type { Ledger } from "#server/core/operations/ledger/ledger.ts";
import type { Db } from "#server/db/client.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";

type Ledgers = Ledger & { mail: MailLedger };

/**
 * Compares `posthouse ledger` with what the receivers got.
 *
 * @param emailsDelivered recipients of the load's emails that got at least one copy
 * @returns one line for each disagreement
 */
export async function compareLedgers(
  db: Db,
  env: NodeJS.ProcessEnv,
  emailsDelivered: number,
): Promise<{ ledger: string; faults: string[] }> {
  const { code, stdout, stderr } = await runPosthouse(["ledger", "--json"], env);
  if (code !== 0) return { ledger: stdout, faults: [`posthouse ledger: exit ${code}: ${stderr}`] };
  const { mail, ...emails } = JSON.parse(stdout) as Ledgers;
  const delivered = emails.delivered - (await countSelfChecks(db));
  const faults = [];
  if (delivered !== emailsDelivered)
    faults.push(`The ledger has ${delivered} delivered, the receivers ${emailsDelivered}`);
  for (const { accepted, delivered: ended } of [emails, mail])
    if (ended !== accepted)
      faults.push(`The ledger has ${accepted} accepted and ${ended} delivered: ${stdout}`);
  return { ledger: stdout.trim(), faults };
}

/** Each start of an appliance in local mode sends an email to its sandbox mailbox. */
async function countSelfChecks(db: Db): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from email_events
    where type = 'delivered' and recipient like '%@posthouse.localhost'`);
  return row!.count;
}
