import { createHmac } from "node:crypto";

import { sql } from "drizzle-orm";

import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";
import type { Db } from "#server/db/client.ts";

import {
  awaitsModeration,
  EMAIL_IS_SETTLED,
  type ErasedPerson,
  eraseFromEmails,
  eraseFromLists,
  eraseFromMessages,
  hasPerson,
  isOfPerson,
  MESSAGE_IS_SETTLED,
  personPattern,
} from "./internal/erased-rows.ts";

const TOKEN_CHARS = 16;
/** Small transactions: they neither hold up other work nor fill the memory of this process. */
const BATCH = 2_000;

/** Rows changed or deleted, by what they are: `emails`, `mail log entries`. */
type Erased = Record<string, number>;

/**
 * Erases what the appliance stores about someone outside of it, in all companies: replaces the address with a
 * pseudonym in histories, so that counts and the ledger stay exact, and deletes content and lists. Mail in
 * mailboxes isn't affected: it belongs to the mailbox users. Backups keep the data until they expire.
 *
 * Emails and messages are erased in batches. If this fails halfway, run it again: the pseudonym stays the same.
 *
 * @param ctx of the appliance's own company, whose audit log has the pseudonym
 * @param keepsSuppressions whether the address stays suppressed, so that it receives no more email
 * @throws Refusal `invalid` for an address of this appliance, and while mail from or to it is queued for anyone or
 * awaits moderation
 */
export async function erasePerson(
  ctx: Context,
  {
    address: given,
    keepsSuppressions,
    batchSize = BATCH,
  }: { address: string; keepsSuppressions: boolean; batchSize?: number },
): Promise<{ pseudonym: string; erased: Erased }> {
  const address = requireAddress(given);
  const digest = createHmac("sha256", instanceKey()).update(`erased ${address}`).digest("hex");
  const pseudonym = `erased-${digest.slice(0, TOKEN_CHARS)}@erased.invalid`;
  const person: ErasedPerson = { address, pseudonym, pattern: personPattern(address) };
  await requireOutside(ctx.db, address);
  await requireNothingQueued(ctx.db, person);
  const erasedMail = {
    ...(await eraseFromEmails(ctx.db, person, batchSize)),
    ...(await eraseFromMessages(ctx.db, person, batchSize)),
  };
  return inTransaction(ctx, async (ctx) => {
    const lists = await eraseFromLists(ctx.db, person, { keepsSuppressions });
    const erased = { ...erasedMail, ...lists };
    await recordAudit(ctx, "person.erased", { pseudonym, erased });
    return { pseudonym, erased };
  });
}

function requireAddress(given: string): string {
  const parsed = parseRecipient(given.trim());
  if (!parsed) throw new Refusal("invalid", `"${given}" is not an email address`);
  return parsed.address;
}

async function requireOutside(db: Db, address: string): Promise<void> {
  const [found] = await db.execute<{ text: string }>(sql`
    select 'a mailbox, alias, group or inbound address of this appliance. Delete it first' as text
      from addresses where address = ${address}
    union all select 'an admin. Delete it first' from people where email = ${address}
    union all select 'a deleted mailbox, alias or group of this appliance. Delete it permanently first'
      from deleted_items where addresses @> array[${address}::text] limit 1`);
  if (found) throw new Refusal("invalid", `${address} is ${found.text}`);
}

/** Erasing would change what the other recipients of a queued email or message get. */
async function requireNothingQueued(db: Db, person: ErasedPerson): Promise<void> {
  const [row] = await db.execute<{ queued: number }>(sql`
    select ((select count(*) from emails where ${hasPerson(person)} and not ${EMAIL_IS_SETTLED})
      + (select count(*) from messages where ${isOfPerson(person)} and not ${MESSAGE_IS_SETTLED})
      + (select count(*) from quarantine where ${awaitsModeration(person)})
      )::int as queued`);
  if (row!.queued === 0) return;
  throw new Refusal(
    "invalid",
    `Mail from or to ${person.address} is still queued, scheduled, on hold or awaiting moderation (emails and messages: ${row!.queued}). Cancel, drop or moderate it, or try again once it has been delivered`,
  );
}
