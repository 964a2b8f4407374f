import { sql } from "drizzle-orm";

import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { Db } from "#server/db/client.ts";

/** A mailbox whose Sieve script sends, with what decides whether it can. */
export type ScriptedMailbox = {
  address: string;
  companyId: string;
  domainId: string;
  /** Its sending is on hold. */
  isHeld: boolean;
  /** Its company can't send. A suspended mailbox still forwards, often to a successor. */
  isBlocked: boolean;
  outsideAllowed: boolean;
};

/** Resolves an address, alias or tagged address to its mailbox. */
export async function findScriptedMailbox(
  db: Db,
  address: string,
): Promise<ScriptedMailbox | null> {
  const found = (await resolveRecipients(db, [address])).get(address);
  if (found?.kind !== "mailbox") return null;
  const [row] = await db.execute<ScriptedMailbox>(sql`
    select m.address, m.company_id as "companyId", m.domain_id as "domainId",
      m.sending_held_at is not null as "isHeld",
      c.suspended_at is not null or not c.service_enabled or not c.subscription_active
        as "isBlocked",
      p.outside_allowed as "outsideAllowed"
    from mailboxes m
      join companies c on c.id = m.company_id
      join mailbox_policies p on p.address = m.address
    where m.address = ${found.mailbox}`);
  return row ?? null;
}
