import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { emailEvents, emails, messages, outbox, queueHolds } from "#drizzle/schema/index.ts";
import { clearOverviewCache } from "#server/core/operations/queue/queue.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { anOperatorSession } from "#server/testing/operators.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

import { queueConsole } from "./queue.ts";

let cookie: string;
let email: string;
beforeAll(async () => {
  ({ cookie, email } = await anOperatorSession());
});
beforeEach(async () => {
  for (const table of [emails, messages, queueHolds]) await db().delete(table);
  clearOverviewCache();
});

const queue = async () => (await callFromPage(queueConsole.get, { cookie })).body;

test("an empty queue", async () => {
  expect(await queue()).toEqual({
    depth: { waiting: 0, due: 0, inFlight: 0, delayed: 0, parked: 0, oldestDueSeconds: null },
    destinations: [],
    companies: [],
    holds: [],
  });
});

test("the queue gives the reason for mail to a domain that doesn't exist", async () => {
  const sender = await aSender();
  const [id] = await queuedEmails(sender, [["ann@nowhere.test"]]);
  await db().update(outbox).set({ attempt: 1 });
  await db().insert(emailEvents).values({
    emailId: id!,
    companyId: sender.companyId,
    type: "delivery_delayed",
    recipient: "ann@nowhere.test",
    dsn: "4.1.2",
    message: "nowhere.test does not exist",
  });
  const lastReply = { why: "nowhere.test does not exist or cannot receive mail." };
  expect(await queue()).toMatchObject({
    destinations: [{ lastReply }],
    companies: [{ lastReply }],
  });
});

test("queued mail is grouped by destination and company, with the last reply", async () => {
  const [one, other] = [await aSender(), await aSender()];
  const due = sql`clock_timestamp() + interval '1 hour'`;
  const [id] = await queuedEmails(one, [["ann@slow.test", "bob@slow.test"]], { due });
  await queuedEmails(other, [["cay@quick.test"]]);
  await anAcceptedMessage({ companyId: one.companyId, to: ["dan@slow.test"] });
  await db()
    .update(outbox)
    .set({ attempt: 2 })
    .where(sql`recipient = 'ann@slow.test'`);
  for (const message of ["451 first", "451 4.7.1 Try later"])
    await db().insert(emailEvents).values({
      emailId: id!,
      companyId: one.companyId,
      type: "delivery_delayed",
      recipient: "ann@slow.test",
      dsn: "4.7.1",
      message,
    });

  expect(await queue()).toMatchObject({
    depth: { waiting: 4, due: 2, delayed: 1 },
    destinations: [
      {
        subject: "slow.test",
        waiting: 3,
        due: 1,
        delayed: 1,
        parked: 0,
        lastReply: {
          text: "451 4.7.1 Try later",
          why: expect.stringContaining("slow.test") as string,
        },
      },
      { subject: "quick.test", waiting: 1, due: 1, lastReply: null },
    ],
    companies: [
      { subject: one.companyId, waiting: 3 },
      { subject: other.companyId, waiting: 1, name: "Example Ltd" },
    ],
  });
  const query = { kind: "destination", subject: "slow.test" };
  const { body } = await callFromPage(queueConsole.listWaiting, { cookie, query });
  const { data } = body as { data: { recipient: string }[] };
  expect(data.map(({ recipient }) => recipient).toSorted()).toEqual([
    "ann@slow.test",
    "bob@slow.test",
    "dan@slow.test",
  ]);
  expect(data).toContainEqual(
    expect.objectContaining({ recipient: "ann@slow.test", attempt: 2, parentId: id }),
  );
  const ofCompany = { kind: "company", subject: other.companyId };
  expect(
    (await callFromPage(queueConsole.listWaiting, { cookie, query: ofCompany })).body,
  ).toMatchObject({
    name: "Example Ltd",
    data: [{ recipient: "cay@quick.test" }],
  });
});

test.each([
  ["-waiting", ["slow.test", "busy.test", "quick.test"]],
  ["waiting", ["quick.test", "busy.test", "slow.test"]],
  ["name", ["busy.test", "quick.test", "slow.test"]],
  ["-name", ["slow.test", "quick.test", "busy.test"]],
  ["next", ["busy.test", "slow.test", "quick.test"]],
  ["-next", ["slow.test", "busy.test", "quick.test"]],
])("destinations are sorted by %s", async (sort, names) => {
  const sender = await aSender();
  const inHours = (hours: number) => ({
    due: sql`clock_timestamp() + ${hours}::int * interval '1 hour'`,
  });
  await queuedEmails(sender, [["a@slow.test", "b@slow.test", "c@slow.test"]], inHours(2));
  await queuedEmails(sender, [["a@busy.test", "b@busy.test"]], inHours(1));
  await queuedEmails(sender, [["a@quick.test"]]);
  const { body } = await callFromPage(queueConsole.get, { cookie, query: { sort } });
  const { destinations, companies } = body as Record<string, { subject: string }[]>;
  expect(destinations!.map(({ subject }) => subject)).toEqual(names);
  expect(companies).toMatchObject([{ subject: sender.companyId, name: "Example Ltd" }]);
});

test("a hold is listed with its reason until it is released", async () => {
  const subject = { kind: "destination", subject: "slow.test" };
  await queue();
  await callFromPage(queueConsole.holdMail, {
    cookie,
    body: { ...subject, reason: "They are down" },
  });
  expect(await queue()).toMatchObject({
    holds: [{ ...subject, name: "slow.test", reason: "They are down", heldBy: email }],
  });
  expect((await callFromPage(queueConsole.releaseMail, { cookie, body: subject })).status).toBe(
    200,
  );
  expect(await queue()).toMatchObject({ holds: [] });
  expect((await callFromPage(queueConsole.releaseMail, { cookie, body: subject })).status).toBe(
    404,
  );
});

test("holds on a company are in its audit log, on a destination in the appliance's", async () => {
  const { companyId } = await aSender();
  const company = { kind: "company", subject: companyId };
  await callFromPage(queueConsole.holdMail, { cookie, body: { ...company, reason: "Abuse" } });
  const body = { kind: "destination", subject: "slow.test", reason: "" };
  await callFromPage(queueConsole.holdMail, { cookie, body });
  const rows = await db().execute(sql`
    select action, actor, c.purpose from audit_entries a join companies c on c.id = a.company_id
    where action like 'queue.%' and (a.company_id = ${companyId} or c.purpose = 'platform')
    order by a.created_at desc limit 2`);
  expect(rows).toEqual([
    { action: "queue.held", actor: email, purpose: "platform" },
    { action: "queue.held", actor: email, purpose: "customer" },
  ]);
});

test("retry and drop return counts, and only mail on hold can be dropped", async () => {
  const sender = await aSender();
  const due = sql`clock_timestamp() + interval '1 hour'`;
  await queuedEmails(sender, [["ann@slow.test"], ["bob@slow.test"]], { due });
  const body = { kind: "destination", subject: "slow.test" };
  expect((await callFromPage(queueConsole.retryMail, { cookie, body })).body).toEqual({
    recipients: 2,
  });
  expect((await callFromPage(queueConsole.dropMail, { cookie, body })).status).toBe(403);
  await callFromPage(queueConsole.holdMail, { cookie, body: { ...body, reason: "" } });
  expect((await callFromPage(queueConsole.dropMail, { cookie, body })).body).toEqual({
    dropped: 2,
    isDone: true,
  });
  expect(await db().$count(outbox)).toBe(0);
});
