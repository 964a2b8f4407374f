import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Connection } from "#server/db/client.ts";

/**
 * Checks that every recipient that was ever accepted is accounted for.
 *
 * @returns how many there are
 * @throws Error if one isn't
 */
export async function requireAccounted({ db }: Connection): Promise<number> {
  const emails = await auditLedger(db);
  const mail = await auditMail(db);
  const unaccounted = emails.unaccounted + mail.unaccounted;
  if (unaccounted > 0)
    throw new Error(`${pluralize(unaccounted, "recipient is", "recipients are")} unaccounted for`);
  return emails.accepted + mail.accepted;
}
