import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { messageRecipients } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";
import { theReport } from "#server/testing/leased-messages.ts";

import { dropHeld, holdQueued, releaseHeld } from "./held-messages.ts";

const ANN = "ann@example.com";

async function heldMail(isHeld = true, to = ["bob@example.org", "carl@example.org"]) {
  const { id: companyId } = await aCompany();
  const id = await anAcceptedMessage({
    companyId,
    sender: ANN,
    to: to.map((address) => ({ address, isHeld })),
  });
  return { companyId, id, ctx: aContext(companyId) };
}

const rowsOf = (id: string) =>
  db().select().from(messageRecipients).where(eq(messageRecipients.messageId, id));

test("released mail is due immediately and is retried from then on as if new", async () => {
  const { id, ctx } = await heldMail();
  await db().execute(sql`update message_recipients set created_at = now() - interval '6 days'`);

  expect(await releaseHeld(ctx, ANN)).toBe(2);
  for (const row of await rowsOf(id)) {
    expect(row).toMatchObject({ state: "queued", settledAt: null });
    expect(Date.parse(row.createdAt)).toBeGreaterThan(Date.now() - 60_000);
  }
  expect(await releaseHeld(ctx, ANN)).toBe(0);
});

test("dropped mail is settled and can no longer be released", async () => {
  const { id, ctx } = await heldMail();

  expect(await dropHeld(ctx, ANN)).toBe(2);
  expect(await releaseHeld(ctx, ANN)).toBe(0);
  for (const row of await rowsOf(id))
    expect(row).toMatchObject({ state: "dropped", settledAt: expect.any(String) as string });
});

test("puts waiting mail on hold, but not mail being delivered or settled", async () => {
  const { id, ctx } = await heldMail(false, ["b@example.org", "c@example.org", "d@example.org"]);
  const [leased, gone] = await rowsOf(id);
  await db().execute(sql`update message_recipients
    set lease_until = now() + interval '20 seconds', lease_owner = gen_random_uuid()
    where id = ${leased!.id}`);
  await db().execute(sql`update message_recipients set state = 'delivered' where id = ${gone!.id}`);

  expect(await holdQueued(ctx, ANN)).toBe(1);
  const states = (await rowsOf(id)).map(({ state }) => state);
  expect(states.toSorted()).toEqual(["delivered", "held", "queued"]);
});

test("leaves mail of other companies and other mailboxes unchanged", async () => {
  const { id } = await heldMail();
  const { id: companyId } = await aCompany();
  const strangers = [
    { ctx: aContext(companyId), mailbox: ANN },
    { ctx: (await heldMail()).ctx, mailbox: "bob@example.com" },
  ];
  for (const { ctx, mailbox } of strangers)
    for (const verb of [releaseHeld, dropHeld, holdQueued])
      expect(await verb(ctx, mailbox)).toBe(0);
  expect((await rowsOf(id)).map(({ state }) => state)).toEqual(["held", "held"]);
});

test("returns a dropped forward to its mailbox", async () => {
  const { companyId, ctx } = await heldMail(true, ["b@x.test"]);
  const given = { companyId, mailbox: ANN, sender: ANN, isHeld: true };
  await anAcceptedMessage({ ...given, to: ["a@x.test"], origin: "forward" });
  expect(await dropHeld(ctx, ANN)).toBe(2);
  const report = await theReport();
  expect(report.recipient).toBe(ANN);
  expect(report.status).toContain("Final-Recipient: rfc822; a@x.test\r\n");
});

test("concurrent release and drop give each recipient one outcome", async () => {
  const to = Array.from({ length: 200 }, (_, i) => `r${i}@example.org`);
  const { id, ctx } = await heldMail(true, to);

  const [released, dropped] = await Promise.all([releaseHeld(ctx, ANN), dropHeld(ctx, ANN)]);
  expect(released + dropped).toBe(200);
  const states = (await rowsOf(id)).map(({ state }) => state);
  expect(states.filter((state) => state === "queued")).toHaveLength(released);
  expect(states.filter((state) => state === "dropped")).toHaveLength(dropped);
});
