import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { mailboxes } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { listHeld, releaseSending } from "#server/core/mail/guard/guard.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import {
  deletePermanently,
  restoreDeleted,
} from "#server/core/operations/deleted-items/deleted-items.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { recipientsOf, reports } from "#server/testing/leased-messages.ts";

let dovecot: TestDovecot;
let ctx: Context;
let domain: Awaited<ReturnType<typeof aDomain>>;
let ann: string;
let forward: string;

const owner = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});

afterAll(() => dovecot.stop());

beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  domain = await aDomain(ctx.companyId);
  ann = (await aMailbox(domain)).address;
  forward = await holdForward();
});

/** A forward of the mailbox that is on hold. */
async function holdForward() {
  await db()
    .update(mailboxes)
    .set({ sendingHeldAt: sql`now()` })
    .where(eq(mailboxes.address, ann));
  const { companyId } = ctx;
  const to = [{ address: "x@elsewhere.test", isHeld: true }];
  return anAcceptedMessage({ companyId, origin: "forward", mailbox: ann, sender: ann, to });
}

const stateOf = async (id: string) => (await recipientsOf(id))[0]!.state;

test("mail on hold stays on hold while its mailbox is deleted, and can be released once it is restored", async () => {
  const { deletedId } = await deleteMailbox(ctx, ann);
  expect(await stateOf(forward)).toBe("held");
  await restoreDeleted(ctx, deletedId);
  expect(await listHeld(ctx, owner)).toMatchObject([{ address: ann, messages: 1, recipients: 1 }]);
  expect(await releaseSending(ctx, ann, owner)).toEqual({ released: 1 });
  expect(await stateOf(forward)).toBe("queued");
});

test("deleting a mailbox permanently drops its mail on hold, and returns forwards only to a mailbox that has its address", async () => {
  const { deletedId } = await deleteMailbox(ctx, ann);
  const before = (await reports()).length;
  await deletePermanently(ctx, deletedId);
  expect(await stateOf(forward)).toBe("dropped");
  expect(await reports()).toHaveLength(before);

  ann = (await aMailbox(domain)).address;
  forward = await holdForward();
  const ben = (await aMailbox(domain)).address;
  const second = await deleteMailbox(ctx, ann, { deliverTo: ben });
  await deletePermanently(ctx, second.deletedId);
  expect(await stateOf(forward)).toBe("dropped");
  expect(await reports()).toHaveLength(before + 1);
});

test("what an API key deletes frees the address, so its mail on hold is dropped at once; a new mailbox keeps its own", async () => {
  const keyId = randomUUID();
  const actor = { kind: "api_key", keyId, keyName: "Key", adminId: randomUUID() } as const;
  const byKey = { ...ctx, actor };
  const { deletedId } = await deleteMailbox(byKey, ann);
  expect(await stateOf(forward)).toBe("dropped");
  await aMailbox(domain, { address: ann });
  const own = await holdForward();
  await deletePermanently(ctx, deletedId);
  expect(await stateOf(own)).toBe("held");
});
