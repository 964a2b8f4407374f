import { eq, sql } from "drizzle-orm";
import { runOnce } from "graphile-worker";
import { expect, test } from "vitest";

import { messages } from "#drizzle/schema/index.ts";
import { postToGroup } from "#server/core/mail/group-posts/post-to-group.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { aPost, copiesOf } from "#server/testing/posts.ts";

import { taskList } from "./tasks.ts";

const workThroughQueue = () =>
  runOnce({ connectionString: process.env.DATABASE_URL!, taskList, noHandleSignals: true });

test("moderators of a group are notified of waiting mail, and again a while later", async () => {
  const domain = await aDomain((await aCompany()).id);
  const { address: moderator } = await aMailbox(domain);
  const { address } = await aGroup(domain, {
    members: [moderator],
    moderation: "all",
    moderators: [moderator],
  });

  for (let i = 0; i < 3; i++) await postToGroup(db(), address, aPost());
  await workThroughQueue();
  await postToGroup(db(), address, aPost());
  await workThroughQueue();

  expect(await copiesOf(address)).toMatchObject([{ origin: "report", recipients: [moderator] }]);

  const past = sql`now() - interval '16 minutes'`;
  await db().update(messages).set({ createdAt: past }).where(eq(messages.groupAddress, address));
  await db().execute(sql`
    update graphile_worker._private_jobs set run_at = now()
    where key = ${`tell_moderators:${address}`}`);
  await workThroughQueue();
  expect(await copiesOf(address)).toHaveLength(2);
});
