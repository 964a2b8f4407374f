import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { runOnce, type Task, type TaskList } from "graphile-worker";
import { beforeEach, expect, test } from "vitest";

import { receivedContents, receivedEmails } from "#drizzle/schema/index.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { listReceived } from "#server/core/mail/received/received-emails.ts";
import { receiveEmail } from "#server/core/mail/received/receive-email.ts";
import { db } from "#server/db/pool.ts";
import { aContext } from "#server/testing/factories.ts";
import { aSender, type Sender } from "#server/testing/queued-emails.ts";

import { taskList } from "./tasks.ts";

const receive = ({ companyId, name }: Sender) =>
  receiveEmail(db(), {
    key: randomUUID(),
    repeatsForMs: null,
    companyId,
    isChecked: true,
    receivedFor: [`in@${name}`],
    sender: "",
    message: new Message(
      Buffer.from("Subject: Photo\r\nMIME-Version: 1.0\r\nContent-Type: image/png\r\n\r\nx\r\n"),
    ),
  });

let sender: Sender;
beforeEach(async () => {
  await db().execute(sql`delete from graphile_worker._private_jobs`);
  sender = await aSender();
  await receive(sender);
});

const listed = async () =>
  (await listReceived(aContext(sender.companyId), { limit: 10, after: null, before: null })).rows;

const run = (tasks: TaskList) =>
  runOnce({
    connectionString: process.env.DATABASE_URL!,
    taskList: tasks,
    noHandleSignals: true,
  });

async function runAttempt(attempt: number): Promise<void> {
  await db().execute(sql`
    update graphile_worker._private_jobs set attempts = ${attempt - 1}, run_at = now()`);
  await run(taskList);
}

const queueOf = async ({ companyId }: Sender) => {
  const rows = await db().execute<{ queue: string }>(sql`
    select distinct queue_name as queue from graphile_worker.jobs j
    join graphile_worker._private_jobs p using (id) where p.payload ->> 'companyId' = ${companyId}`);
  return rows.map(({ queue }) => queue);
};

/** A company whose messages are parsed in the same queue as those of `sender`, or in another one. */
async function anotherSender({ inSameQueue }: { inSameQueue: boolean }): Promise<Sender> {
  const [queue] = await queueOf(sender);
  for (;;) {
    const other = await aSender();
    await receive(other);
    if (((await queueOf(other))[0] === queue) === inSameQueue) return other;
  }
}

test("all messages of a company are in one queue, those of others in another", async () => {
  const other = await anotherSender({ inSameQueue: false });
  for (const each of [sender, sender, other]) await receive(each);
  expect(await queueOf(sender)).toHaveLength(1);
  expect(await queueOf(other)).toHaveLength(1);
});

test("a flood of one company's messages doesn't delay another company's", async () => {
  for (let count = 0; count < 9; count++) await receive(sender);
  const other = await anotherSender({ inSameQueue: true });
  const parsed: string[] = [];
  const parse: Task = (payload) => {
    parsed.push((payload as { companyId: string }).companyId);
  };
  while (!parsed.includes(other.companyId)) await run({ parse_received: parse });
  const before = parsed.slice(0, parsed.indexOf(other.companyId));
  expect(before.filter((id) => id === sender.companyId).length).toBeLessThan(3);
});

test("an email whose parts can't be stored is shown without them after seven attempts", async () => {
  await db().execute(sql`
    create function reject_file() returns trigger language plpgsql
    as $$ begin raise exception 'rejected'; end $$`);
  await db().execute(sql`
    create trigger reject_file before insert on received_attachments
    for each row execute function reject_file()`);
  await runAttempt(7);
  expect(await listed()).toEqual([]);
  await runAttempt(8);
  const [email] = await listed();
  expect(email).toMatchObject({
    subject: "Photo",
    files: [],
    problem: "Parsing it failed repeatedly",
  });
  expect(await db().$count(receivedContents, eq(receivedContents.emailId, email!.id))).toBe(1);
  expect(await db().$count(receivedEmails, eq(receivedEmails.companyId, sender.companyId))).toBe(1);
});
