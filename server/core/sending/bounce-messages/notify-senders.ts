import { sql } from "drizzle-orm";

import { readReversePath } from "#server/core/shared/addresses/reverse-path.ts";
import type { Db } from "#server/db/client.ts";

import type { OriginalMessage } from "./original-message.ts";
import { sendDsn } from "./send-dsn.ts";
import type { RecipientResult } from "./recipient-result.ts";

/**
 * Sends a bounce message to the sender for each message and kind of result. They go out when the caller's
 * transaction commits; call `wakeMessages` after that.
 *
 * @param hostname the appliance's name
 * @param settled results for which `shouldNotifySender` is true
 * @returns the number of bounce messages
 */
export async function notifySenders(
  db: Db,
  hostname: string,
  settled: RecipientResult[],
): Promise<number> {
  let reports = 0;
  for (const recipients of groupByDsn(settled)) {
    await markDelays(db, recipients);
    if (await notifySender(db, hostname, recipients)) reports++;
  }
  return reports;
}

async function notifySender(
  db: Db,
  hostname: string,
  recipients: RecipientResult[],
): Promise<boolean> {
  const [{ message }] = recipients as [RecipientResult];
  const sender = readReversePath(bounceAddress(message));
  return sender ? sendDsn(db, hostname, { recipients, to: [sender] }) : false;
}

/** Bounces of mail that a member sent as a group go to the member, since groups discard them. */
const bounceAddress = ({ origin, groupAddress, mailbox, sender }: OriginalMessage): string =>
  origin === "submission" && groupAddress !== null ? (mailbox ?? "") : sender;

function groupByDsn(settled: RecipientResult[]): RecipientResult[][] {
  const groups = Map.groupBy(settled, ({ message, result }) => `${message.id} ${result}`);
  return [...groups.values()];
}

async function markDelays(db: Db, recipients: RecipientResult[]): Promise<void> {
  const ids = recipients.filter(({ result }) => result === "delayed").map(({ rowId }) => rowId);
  if (ids.length === 0) return;
  await db.execute(sql`
    update message_recipients set delay_told_at = clock_timestamp()
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))`);
}
