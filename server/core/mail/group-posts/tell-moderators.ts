import { and, arrayContains, asc, eq } from "drizzle-orm";

import { addresses, type Group, groups, quarantine } from "#drizzle/schema/index.ts";
import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { findModerators } from "./find-moderators.ts";
import { quietUntil } from "./internal/plan-moderator-notice.ts";
import { type Waiting, writeModeratorNotice } from "./internal/write-moderator-notice.ts";

/** Messages that a notice shows. */
const SHOWN_MAX = 10;

type Moderated = { group: Group; domainId: string };

/**
 * Tells the moderators of a group what waits for them, or the company's owners when it has none. Not when
 * everything is decided already; and within 15 minutes of the last time, later.
 */
export async function tellModerators(db: Db, address: string): Promise<void> {
  await db.transaction(async (tx) => {
    const moderated = await lockGroup(tx, address);
    if (!moderated) return;
    const runAt = await quietUntil(tx, moderated.group);
    if (runAt) return enqueue(tx, "tell_moderators", { group: address }, { runAt });
    const waiting = await findWaiting(tx, moderated.group);
    const moderators = await findModerators(tx, moderated.group);
    if (waiting.length > 0 && moderators.length > 0)
      await tell(tx, { ...moderated, waiting, moderators });
  });
  wakeMessages(db);
}

async function lockGroup(db: Db, address: string): Promise<Moderated | undefined> {
  const [moderated] = await db
    .select({ group: groups, domainId: addresses.domainId })
    .from(groups)
    .innerJoin(addresses, eq(addresses.address, groups.address))
    .where(eq(groups.address, address))
    .for("update", { of: groups });
  return moderated;
}

const findWaiting = (db: Db, { companyId, address }: Group): Promise<Waiting[]> =>
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

async function tell(
  db: Db,
  {
    group,
    domainId,
    waiting,
    moderators,
  }: Moderated & { waiting: Waiting[]; moderators: string[] },
): Promise<void> {
  const notice = writeModeratorNotice({
    group: group.address,
    moderators,
    waiting: waiting.slice(0, SHOWN_MAX),
    hasMore: waiting.length > SHOWN_MAX,
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
