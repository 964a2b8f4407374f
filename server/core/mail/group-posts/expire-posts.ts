import { and, asc, eq } from "drizzle-orm";

import { type Quarantined, quarantine, quarantineContents } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { OriginalMessage } from "#server/core/sending/bounce-messages/original-message.ts";
import { queueDsn, returnedHeader } from "#server/core/sending/bounce-messages/send-dsn.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import type { Db } from "#server/db/client.ts";
import { isOlderThan } from "#server/db/delete-in-batches.ts";

import { auditDetails } from "./approve-post.ts";
import { decodePendingPost } from "./pending-post.ts";
import type { Post } from "./post.ts";

/**
 * Deletes messages that have waited for a moderator for `days`, and sends their authors a bounce, unless the author may be
 * forged.
 *
 * @returns the number of messages deleted
 */
export async function expirePosts(db: Db, days: number): Promise<number> {
  let expired = 0;
  while (await expireOldest(db, days)) expired++;
  if (expired > 0) wakeMessages(db);
  return expired;
}

function expireOldest(db: Db, days: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [found] = await tx
      .select({ held: quarantine, content: quarantineContents.content })
      .from(quarantine)
      .innerJoin(quarantineContents, eq(quarantineContents.quarantineId, quarantine.id))
      .where(and(eq(quarantine.reason, "moderation"), isOlderThan(quarantine.createdAt, days)))
      .orderBy(asc(quarantine.createdAt))
      .limit(1)
      .for("update", { of: quarantine, skipLocked: true });
    if (!found) return false;
    const { held, content } = found;
    await tx.delete(quarantine).where(eq(quarantine.id, held.id));
    await notifyAuthor(tx, held, {
      post: decodePendingPost({ ...held, message: new Message(content) }),
      days,
    });
    const ctx = createContext(tx, held.companyId, { kind: "system", task: "apply_retention" });
    await recordAudit(ctx, "group.post_expired", auditDetails(held));
    return true;
  });
}

async function notifyAuthor(
  db: Db,
  held: Quarantined,
  { post, days }: { post: Post; days: number },
): Promise<void> {
  const to = authorAddress(post);
  if (to === null) return;
  const { companyId, recipients, sender, subject, size, createdAt } = held;
  const [group = ""] = recipients;
  const { messageId, raw } = post.message;
  const message: OriginalMessage = {
    ...{ id: held.id, companyId, origin: "incoming", mailbox: null, groupAddress: group },
    ...{ distributionId: null, sender, isSenderTold: true, subject, messageId, size, createdAt },
    ...{ envelopeId: null, returnFull: true },
  };
  await queueDsn(db, {
    ...{ hostname: config().hostname, message },
    recipients: [
      {
        ...{ rowId: "", recipient: group, originalRecipient: null, notify: null, dsn: "5.4.7" },
        reply: `No moderator approved the message within ${days} days`,
        ...{ message, result: "bounced", delivery: "expanded", host: null },
        ...{ giveUpAt: null, waitedSeconds: 0, isDelayReported: false },
      },
    ],
    ...{ to: [to], returned: returnedHeader(raw), now: new Date() },
  });
}

/** The return path if the author signed in or its domain is that of the verified author, otherwise the author. */
function authorAddress({ author, isFromVerified, sender, from }: Post): string | null {
  if (author) return sender || null;
  if (!isFromVerified || from === null) return null;
  const isAligned = sender !== "" && addressDomain(sender).toLowerCase() === addressDomain(from);
  return isAligned ? sender : from;
}
