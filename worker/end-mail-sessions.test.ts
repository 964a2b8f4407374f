import { once } from "node:events";

import { sql } from "drizzle-orm";
import { runOnce } from "graphile-worker";
import { expect, test } from "vitest";

import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { enqueue } from "#server/jobs/enqueue.ts";
import { aDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

import { taskList } from "./tasks.ts";

const workThroughQueue = () =>
  runOnce({ connectionString: process.env.DATABASE_URL!, taskList, noHandleSignals: true });

test("end_mail_sessions ends a mailbox's sessions in mail apps, and retries if Dovecot is down", async () => {
  const dovecot = await aDovecot({ givenFolder: config().dataFolder });
  const domain = await aDomain((await aCompany()).id);
  const [ann, bob] = [await aMailbox(domain), await aMailbox(domain)];
  const [app, other] = [
    await signIn(dovecot.imap, ann.address),
    await signIn(dovecot.imap, bob.address),
  ];
  const ended = once(app, "close");

  await enqueue(db(), "end_mail_sessions", { address: ann.address });
  await workThroughQueue();

  await ended;
  await other.noop();
  await other.logout();
  expect(await db().execute(sql`select from graphile_worker.jobs`)).toHaveLength(0);

  await dovecot.stop();
  await enqueue(db(), "end_mail_sessions", { address: ann.address });
  await workThroughQueue();
  expect(await db().execute(sql`select attempts from graphile_worker.jobs`)).toEqual([
    { attempts: 1 },
  ]);
});
