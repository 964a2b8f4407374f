import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { failingMembers, messages } from "#drizzle/schema/index.ts";
import { postToGroup } from "#server/core/mail/group-posts/post-to-group.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { leaseDueMessages } from "#server/core/sending/messages/lease-due-messages.ts";
import { recordMessageOutcomes } from "./record-message-outcomes.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aGroup, aMailbox, anAdmin } from "#server/testing/factories.ts";
import { REPORTING_HOST, reports, theReport } from "#server/testing/leased-messages.ts";
import { aPost } from "#server/testing/posts.ts";

import { FAILURES_MAX } from "#server/core/sending/messages/messages.ts";

let domain: Awaited<ReturnType<typeof aDomain>>;
let owner: string;
beforeAll(async () => {
  const { id } = await aCompany();
  domain = await aDomain(id);
  owner = `${randomUUID()}@owner.test`;
  await anAdmin(id, { email: owner, isOwner: true });
});
beforeEach(async () => {
  await db().delete(messages);
});

const DEAD = "dead@x.test";

/** Leases due rows, and fails them for the given addresses. */
async function settle(failing: string[], limit = 100) {
  const owner = randomUUID();
  const leased = await leaseDueMessages(db(), { owner, limit, room: { light: 1e9, heavy: 1e9 } });
  const outcomes = leased.flatMap(({ id: messageId, recipients }) =>
    recipients.map(({ rowId, recipient, attempt }) => {
      const result = failing.includes(recipient) ? ("bounced" as const) : ("delivered" as const);
      const dsn = result === "bounced" ? "5.1.1" : "2.0.0";
      const how = { delivery: "relayed" as const, message: "As the test has it", suppress: false };
      return { rowId, messageId, recipient, attempt, result, dsn, ...how };
    }),
  );
  return () => recordMessageOutcomes(db(), { owner, hostname: REPORTING_HOST }, outcomes);
}

async function post(group: string, failing: string[]) {
  await postToGroup(db(), group, aPost());
  await (
    await settle(failing)
  )();
}

test("a post that no member received is returned once to the owners, with the whole message", async () => {
  const { address } = await aGroup(domain, { members: [DEAD] });
  await post(address, [DEAD]);

  const { recipient, text, raw, mail } = await theReport();
  expect(recipient).toBe(owner);
  expect(mail.to).toMatchObject({ text: owner });
  expect(text.replace(/\s+/g, " ")).toContain(
    `A message to the group ${address} could not be delivered to any of its members.`,
  );
  expect(raw.toString()).toContain("Hello");
  expect(await auditMail(db())).toMatchObject({ bounced: 1, queued: 1, unaccounted: 0 });
});

test("a post to more members than a report lists is accounted for", async () => {
  const members = Array.from({ length: 120 }, (_, at) => `d${1000 + at}@x.test`);
  const { address } = await aGroup(domain, { members });
  await postToGroup(db(), address, aPost());
  await (
    await settle(members, 200)
  )();

  const { text } = await theReport();
  expect([text.includes("d1099@x.test"), text.includes("d1100@x.test")]).toEqual([true, false]);
  expect(await auditMail(db())).toMatchObject({ bounced: 120, queued: 1, unaccounted: 0 });
});

test("is returned to the moderators if there are any", async () => {
  const moderator = await aMailbox(domain);
  const given = { members: [DEAD], moderators: [moderator.address] };
  const { address } = await aGroup(domain, given);
  await post(address, [DEAD]);
  expect((await theReport()).recipient).toBe(moderator.address);
});

test("is not returned if another member received it or may still receive it", async () => {
  const { address: here } = await aMailbox(domain);
  const { address } = await aGroup(domain, { members: [DEAD, here] });
  await post(address, [DEAD]);
  expect(await reports()).toEqual([]);
  expect((await auditMail(db())).unaccounted).toBe(0);
});

test("reports a failed post once when two workers record its last copies concurrently", async () => {
  const { address: here } = await aMailbox(domain);
  const { address } = await aGroup(domain, { members: [DEAD, here] });
  await postToGroup(db(), address, aPost());
  const records = [await settle([DEAD, here], 1), await settle([DEAD, here], 1)];
  await Promise.all(records.map((record) => record()));
  expect(await reports()).toHaveLength(1);
});

test("a member is recorded once after failing five times in a row", async () => {
  const { address: here } = await aMailbox(domain);
  const { address } = await aGroup(domain, { members: [DEAD, here] });
  const noted = () =>
    db().select().from(failingMembers).where(eq(failingMembers.groupAddress, address));
  for (let count = 1; count < FAILURES_MAX; count++) await post(address, [DEAD]);
  expect(await noted()).toEqual([]);
  await post(address, []);
  for (let count = 1; count < FAILURES_MAX; count++) await post(address, [DEAD]);
  expect(await noted()).toEqual([]);
  await post(address, [DEAD]);
  expect(await noted()).toMatchObject([{ member: DEAD, dsn: "5.1.1", noticedAt: null }]);
  await post(address, [DEAD]);
  expect(await noted()).toHaveLength(1);
});
