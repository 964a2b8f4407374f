import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { runOnce } from "graphile-worker";
import { beforeEach, expect, test } from "vitest";

import { receivedContents, receivedEmails } from "#drizzle/schema/index.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { listReceived } from "#server/core/mail/received/received-emails.ts";
import { receiveEmail } from "#server/core/mail/received/receive-email.ts";
import { db } from "#server/db/pool.ts";
import { aContext } from "#server/testing/factories.ts";
import { aSender, type Sender } from "#server/testing/queued-emails.ts";

import { taskList } from "./tasks.ts";

let sender: Sender;
beforeEach(async () => {
  sender = await aSender();
  const message = ["Subject: Photo", "MIME-Version: 1.0", "Content-Type: image/png", "", "x", ""];
  await receiveEmail(db(), {
    key: randomUUID(),
    repeatsForMs: null,
    companyId: sender.companyId,
    isChecked: true,
    receivedFor: [`in@${sender.name}`],
    sender: "",
    message: new Message(Buffer.from(message.join("\r\n"))),
  });
});

const listed = async () =>
  (await listReceived(aContext(sender.companyId), { limit: 10, after: null, before: null })).rows;

async function runAttempt(attempt: number): Promise<void> {
  await db().execute(sql`
    update graphile_worker._private_jobs set attempts = ${attempt - 1}, run_at = now()`);
  await runOnce({ connectionString: process.env.DATABASE_URL!, taskList, noHandleSignals: true });
}

test("takes one slot of the runner", async () => {
  expect(
    await db().execute(sql`select distinct task_identifier, queue_name from graphile_worker.jobs`),
  ).toEqual([{ task_identifier: "parse_received", queue_name: "parse_received" }]);
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
