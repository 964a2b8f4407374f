import type { Db } from "#server/db/client.ts";

import { noteFailingMembers } from "./note-failing-members.ts";
import { returnPosts } from "./return-posts.ts";
import { suspendForwards } from "./suspend-forwards.ts";
import { isTold } from "#server/core/sending/bounce-messages/is-told.ts";
import type { Settled } from "#server/core/sending/bounce-messages/settled.ts";
import { tellSenders } from "#server/core/sending/bounce-messages/tell-senders.ts";

/**
 * Acts on outcomes, in the transaction that recorded them: reports to senders, suspends failing forwards,
 * records failing group members, and returns posts that reached nobody. Call `wakeMessages` after the
 * commit if there are reports.
 *
 * @param hostname the appliance's name in the reports
 * @returns the number of reports sent
 */
export async function followUp(db: Db, hostname: string, settled: Settled[]): Promise<number> {
  const failed = (origin: "forward" | "group") =>
    settled.filter(({ message, result }) => message.origin === origin && result === "bounced");
  const suspended = await suspendForwards(db, failed("forward"));
  await noteFailingMembers(db, failed("group"));
  const told = settled
    .filter(isTold)
    .map((one) => ({ ...one, isSuspended: suspended.has(one.rowId) }));
  const reports = await tellSenders(db, hostname, told);
  return reports + (await returnPosts(db, hostname, failed("group")));
}
