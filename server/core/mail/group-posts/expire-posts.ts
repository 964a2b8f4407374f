import { and, asc, eq } from "drizzle-orm";

import { type Quarantined, quarantine, quarantineContents } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  composeDsn,
  type Dsn,
  dsnHeader,
} from "#server/core/sending/bounce-messages/compose-dsn.ts";
import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import { headerEnd } from "#server/core/shared/mime/header-fields.ts";
import { readHeader } from "#server/core/shared/mime/read-header.ts";
import type { Db } from "#server/db/client.ts";
import { isOlderThan } from "#server/db/delete-in-batches.ts";

import { auditDetails } from "./approve-post.ts";
import { decodePendingPost } from "./pending-post.ts";
import type { Post } from "./post.ts";

const HEADER_OCTETS_MAX = 64 * 1024;

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
    await notifyAuthor(tx, held, { post: decodePendingPost({ ...held, content }), days });
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
  const { messageId } = readHeader(post.content);
  const header = post.content.subarray(0, headerEnd(post.content)).subarray(0, HEADER_OCTETS_MAX);
  const message: Dsn["message"] = {
    ...{ id: held.id, companyId, origin: "incoming", mailbox: null, groupAddress: group },
    ...{ distributionId: null, sender, isSenderTold: true, subject, messageId, size, createdAt },
    ...{ envelopeId: null, returnFull: true },
  };
  const report: Dsn = {
    ...{ hostname: config().hostname, message },
    recipients: [
      {
        ...{ rowId: "", recipient: group, originalRecipient: null, notify: null, dsn: "5.4.7" },
        reply: `No moderator approved the message within ${days} days`,
        ...{ message, result: "bounced", delivery: "expanded", host: null },
        ...{ giveUpAt: null, waitedSeconds: 0, isDelayReported: false },
      },
    ],
    ...{ to: [to], returned: { content: header, isWhole: false }, now: new Date() },
  };
  const made = dsnHeader(report);
  await acceptMessage(db, {
    ...{ companyId, origin: "report", mailbox: null, groupAddress: null, clientAddress: null },
    ...{ sender: "", isSenderTold: false, signingDomainId: null },
    content: composeDsn(report, made),
    recipients: [{ address: to, notify: ["never"] }],
    ...{ headerFrom: made.from, subject: made.subject, messageId: made.messageId },
  });
}

/** The return path if the author signed in or its domain is that of the verified author, otherwise the author. */
function authorAddress({ author, isFromVerified, sender, from }: Post): string | null {
  if (author) return sender || null;
  if (!isFromVerified || from === null) return null;
  const isAligned = sender !== "" && addressDomain(sender).toLowerCase() === addressDomain(from);
  return isAligned ? sender : from;
}
