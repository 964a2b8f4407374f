import type { Db } from "#server/db/client.ts";

import { noteFailingMembers } from "./failing/note-failing-members.ts";
import { returnPosts } from "./failing/return-posts.ts";
import { suspendForwards } from "./failing/suspend-forwards.ts";
import { isTold } from "./report/is-told.ts";
import type { Settled } from "./report/settled.ts";
import { tellSenders } from "./report/tell-senders.ts";

/**
 * Does what follows from outcomes, in the transaction that has recorded them: senders are told, forwards
 * that keep failing are suspended, members that keep failing are noted, and posts that nobody got are
 * returned. Call `wakeMessages` after the commit when there are reports.
 *
 * @param hostname what the appliance calls itself in the reports
 * @returns how many reports there are
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
