import { sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { parseAddress } from "#server/core/addresses/parse-address.ts";
import { isTold } from "#server/core/messages/report/is-told.ts";
import { reportedMessage } from "#server/core/messages/report/reported-message.ts";
import type { Settled } from "#server/core/messages/report/settled.ts";
import { tellSenders } from "#server/core/messages/report/tell-senders.ts";
import { wakeMessages } from "#server/core/messages/wake-messages.ts";
import { plainText } from "#server/core/reports/reading/plain-text.ts";
import type { Db } from "#server/db/client.ts";

import type { Failure } from "./reading/read-bounce.ts";

const MESSAGE_LENGTH_MAX = 2000;

type Row = Omit<Settled, "result" | "delivery" | "host" | "dsn" | "reply"> & {
  state: "queued" | "held" | "delivered" | "bounced" | "dropped";
};

/**
 * Records what a bounce says about a forward or a group's copy that other servers had taken: the
 * recipient's row says bounced, and the mailbox that forwarded is told. Once for each recipient, however
 * often it is said; only for recipients that count as delivered. Of one recipient alone the bounce may
 * have another name, to which they forward in turn.
 *
 * @returns `too_early` while the recipient's own attempt is not recorded: the bounce was quicker
 */
export async function takeMessageBounce(
  db: Db,
  messageId: string,
  failures: Failure[],
): Promise<"bounce" | "nothing" | "too_early"> {
  const named = failures.map((failure) => ({
    failure,
    names: failure.addresses.flatMap(readName),
  }));
  const taken = await db.transaction(async (tx) => {
    const rows = await findRows(
      tx,
      messageId,
      named.flatMap(({ names }) => names),
    );
    if (rows.some(({ state }) => state === "queued")) return "too_early";
    const bounced = rows
      .filter(({ state }) => state === "delivered")
      .flatMap((row) => toBounced(row, named));
    if (bounced.length === 0) return "nothing";
    await record(tx, bounced);
    return tellSenders(tx, config().hostname, bounced.filter(isTold));
  });
  if (typeof taken === "string") return taken;
  if (taken > 0) wakeMessages(db);
  return "bounce";
}

const readName = (address: string) => parseAddress(address)?.address ?? [];

function findRows(db: Db, messageId: string, names: string[]): Promise<Row[]> {
  return db.execute<Row>(sql`
    select r.id::text as "rowId", r.recipient, r.original_recipient as "originalRecipient", r.notify,
      r.created_at as "createdAt", r.state, 0 as "waitedSeconds", false as "isDelayTold",
      ${reportedMessage} as message
    from message_recipients r join messages m on m.id = r.message_id
    where r.message_id = ${messageId}::uuid and ${names.length > 0}
      and (m.recipient_count = 1
        or lower(r.recipient) = any(array(
          select value from jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))))
    order by r.id for no key update of r`);
}

function toBounced(row: Row, named: { failure: Failure; names: string[] }[]): Settled[] {
  const own = named.find(({ names }) => names.includes(row.recipient.toLowerCase()));
  const failure = (own ?? named[0])?.failure;
  if (!failure) return [];
  const { dsn } = failure;
  const reply = plainText(failure.message, MESSAGE_LENGTH_MAX);
  return [{ ...row, dsn, reply, result: "bounced", delivery: "relayed", host: null }];
}

async function record(db: Db, bounced: Settled[]): Promise<void> {
  const given = bounced.map(({ rowId, dsn, reply }) => ({ id: rowId, dsn, reply }));
  await db.execute(sql`
    update message_recipients r set state = 'bounced', dsn = given.dsn, reply = given.reply,
      settled_at = clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id bigint, dsn text, reply text)
    where r.id = given.id`);
}
