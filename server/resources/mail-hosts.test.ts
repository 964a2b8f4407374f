import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { addresses, auditEntries, mailboxMoves, mailHosts } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { anOperatorSession } from "#server/testing/operators.ts";

import { mailHostsConsole } from "./mail-hosts.ts";

let operator: Awaited<ReturnType<typeof anOperatorSession>>;
beforeEach(async () => {
  await db().delete(addresses);
  await db().delete(mailHosts);
  operator = await anOperatorSession();
});

async function aStoredMailbox(storeHost: string | null) {
  return aMailbox(await aDomain((await aCompany()).id), { storeHost });
}
const aMailHost = (name: string) =>
  db().insert(mailHosts).values({ name, address: "192.0.2.1", certificate: "PEM" });

const list = () => callFromPage(mailHostsConsole.list, { cookie: operator.cookie });
const hostOf = (email: string) =>
  callFromPage(mailHostsConsole.getMailboxHost, { cookie: operator.cookie, params: { email } });
const moveTo = (email: string, host: string) =>
  callFromPage(mailHostsConsole.changeMailboxHost, {
    cookie: operator.cookie,
    params: { email },
    body: { mailHost: host },
  });

test("nothing is listed while there is one mail host without a name", async () => {
  const { address } = await aStoredMailbox(null);
  expect(await list()).toMatchObject({ body: { data: [], moves: [] } });
  expect(await hostOf(address)).toMatchObject({ body: { mailHost: null, move: null } });
  expect(await moveTo(address, "mail-2")).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining("to name it") as string },
  });
});

test("an operator moves a mailbox of any company, sees its progress, and cancels it", async () => {
  for (const name of ["mail-1", "mail-2"]) await aMailHost(name);
  const { address, companyId } = await aStoredMailbox("mail-1");
  expect(await moveTo("nobody@example.com", "mail-2")).toMatchObject({ status: 404 });
  const move = { mailbox: address, from: "mail-1", to: "mail-2", stage: "copying", problem: null };
  expect(await moveTo(address, "mail-2")).toMatchObject({
    status: 200,
    body: { id: address, mailHost: "mail-1", move },
  });
  await db().update(mailboxMoves).set({ problem: "No space left on device" });
  expect(await list()).toMatchObject({
    body: {
      data: [
        { name: "mail-1", address: "192.0.2.1", mailboxes: 1, isRunning: true },
        { name: "mail-2", mailboxes: 0 },
      ],
      moves: [{ ...move, problem: "No space left on device" }],
    },
  });
  expect(await moveTo(address, "mail-1")).toMatchObject({ status: 200, body: { move: null } });
  const entries = await db()
    .select({ action: auditEntries.action, actor: auditEntries.actor })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, companyId))
    .orderBy(auditEntries.createdAt);
  const actor = operator.email;
  expect(entries).toEqual([
    { action: "mailbox.move_started", actor },
    { action: "mailbox.move_canceled", actor },
  ]);
});

test("a move shows that its current host isn't responding", async () => {
  for (const name of ["mail-1", "mail-2"]) await aMailHost(name);
  const { address } = await aStoredMailbox("mail-1");
  await moveTo(address, "mail-2");
  await db()
    .update(mailHosts)
    .set({ seenAt: sql`clock_timestamp() - interval '2 minutes'` })
    .where(eq(mailHosts.name, "mail-1"));
  const problem = "The mail host mail-1 isn't responding";
  expect(await list()).toMatchObject({
    body: { data: [{ isRunning: false }, { isRunning: true }], moves: [{ problem }] },
  });
  expect(await hostOf(address)).toMatchObject({ body: { move: { problem } } });
});
