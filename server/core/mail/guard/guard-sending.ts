import { sql } from "drizzle-orm";

import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { holdQueued } from "#server/core/sending/messages/hold-queued.ts";
import { notifyOwners } from "#server/core/platform/notices/notify-owners.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { countNewRecipients } from "./count-new-recipients.ts";
import { learnContacts } from "./learn-contacts.ts";
import { newNetworks } from "./new-networks.ts";

export type Sending = {
  mailbox: string;
  companyId: string;
  /** Whether its mail is held already. */
  isHeld: boolean;
  clientAddress: string;
  /** Recipients outside the company. */
  outside: string[];
};

/**
 * Watches what a mailbox sends to outside recipients, for somebody else may have its password: who
 * writes from a network that the mailbox is new on, within an hour, to more recipients it has never
 * written to than `guard_new_recipients`, has its sending held, and the company is told. Otherwise its
 * recipients are no strangers any more.
 *
 * Called before the message is written, in its transaction, with the mailbox's row locked.
 *
 * @returns whether the message is to be held back from the outside recipients
 */
export async function guardSending(db: Db, sending: Sending): Promise<boolean> {
  const { mailbox, companyId, isHeld, outside } = sending;
  if (isHeld) return true;
  if (outside.length === 0) return false;
  if (await isSuspicious(db, sending)) {
    await db.execute(sql`
      update mailboxes set sending_held_at = clock_timestamp() where address = ${mailbox}`);
    await holdQueued(db, { companyId, mailbox });
    const actor = { kind: "system", task: "guard_sending" } as const;
    const ctx = { db, companyId, actor, now: () => new Date() };
    await recordAudit(ctx, "mailbox.sending_held", { mailbox });
    await notifyOwners(db, { companyId, notice: { kind: "sending_held", mailbox } });
    return true;
  }
  await learnContacts(db, mailbox, outside);
  return false;
}

async function isSuspicious(
  db: Db,
  { mailbox, clientAddress, outside }: Sending,
): Promise<boolean> {
  const { guard_new_recipients: max } = await currentSettings(db);
  if (max === 0) return false;
  const isNew = await newNetworks(db, mailbox);
  if (!isNew(clientAddress)) return false;
  return (await countNewRecipients(db, { mailbox, isNew, outside })) > max;
}
