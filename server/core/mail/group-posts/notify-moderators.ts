import { and, arrayContains, asc, eq } from "drizzle-orm";

import { addresses, type Group, groups, quarantine } from "#drizzle/schema/index.ts";
import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { findModerators } from "./find-moderators.ts";
import { nextNoticeAt } from "./internal/schedule-moderator-notice.ts";
import { type PendingPost, writeModeratorNotice } from "./internal/write-moderator-notice.ts";

const SHOWN_MAX = 10;

type ModeratedGroup = { group: Group; domainId: string };

/**
 * Emails a group's moderators, or the company's owners if it has none, about messages waiting for moderation. Does
 * nothing if none are left. Postpones itself if the last notice is less than 15 minutes old.
 */
export async function notifyModerators(db: Db, address: string): Promise<void> {
  await db.transaction(async (tx) => {
    const moderated = await lockGroup(tx, address);
    if (!moderated) return;
    const runAt = await nextNoticeAt(tx, moderated.group);
    if (runAt) return enqueue(tx, "tell_moderators", { group: address }, { runAt });
    const waiting = await listPendingPosts(tx, moderated.group);
    const moderators = await findModerators(tx, moderated.group);
    if (waiting.length > 0 && moderators.length > 0)
      await sendNotice(tx, { ...moderated, waiting, moderators });
  });
  wakeMessages(db);
}

async function lockGroup(db: Db, address: string): Promise<ModeratedGroup | undefined> {
  const [moderated] = await db
    .select({ group: groups, domainId: addresses.domainId })
    .from(groups)
    .innerJoin(addresses, eq(addresses.address, groups.address))
    .where(eq(groups.address, address))
    .for("update", { of: groups });
  return moderated;
}

const listPendingPosts = (db: Db, { companyId, address }: Group): Promise<PendingPost[]> =>
  db
    .select({
      from: quarantine.headerFrom,
      subject: quarantine.subject,
      createdAt: quarantine.createdAt,
    })
    .from(quarantine)
    .where(
      and(
        eq(quarantine.companyId, companyId),
        eq(quarantine.reason, "moderation"),
        arrayContains(quarantine.recipients, [address]),
      ),
    )
    .orderBy(asc(quarantine.createdAt))
    .limit(SHOWN_MAX + 1);

async function sendNotice(
  db: Db,
  {
    group,
    domainId,
    waiting,
    moderators,
  }: ModeratedGroup & { waiting: PendingPost[]; moderators: string[] },
): Promise<void> {
  const notice = writeModeratorNotice({
    group: group.address,
    moderators,
    waiting: waiting.slice(0, SHOWN_MAX),
    hasMore: waiting.length > SHOWN_MAX,
    now: new Date(),
  });
  await acceptMessage(db, {
    companyId: group.companyId,
    origin: "report",
    mailbox: null,
    groupAddress: group.address,
    sender: "",
    isSenderTold: false,
    signingDomainId: domainId,
    ...notice,
    recipients: moderators.map((address) => ({ address })),
    clientAddress: null,
  });
}
