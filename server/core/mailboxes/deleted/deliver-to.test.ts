import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { addresses, aliases, mailboxRules } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import {
  listDeleted,
  restoreDeleted,
} from "#server/core/operations/deleted-items/deleted-items.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aContext, aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";

let dovecot: TestDovecot;
let ctx: Context;
let domain: Awaited<ReturnType<typeof aDomain>>;
let [ann, ben, cara] = ["", "", ""];

beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});

afterAll(() => dovecot.stop());

beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  domain = await aDomain(ctx.companyId);
  const at = async (name: string) =>
    (await aMailbox(domain, { address: `${name}@${domain.name}` })).address;
  [ann, ben, cara] = [await at("ann"), await at("ben"), await at("cara")];
});

const aliasesOf = async (mailbox: string) =>
  (await db().select().from(aliases).where(eq(aliases.mailbox, mailbox))).map(
    ({ address }) => address,
  );

test("a mailbox that gets the mail of the one it forwards to keeps its other forwards", async () => {
  await saveRules(ctx, ben, { forwardTo: [ann, cara], keepCopy: false });
  const { deletedId } = await deleteMailbox(ctx, ann, { deliverTo: ben });
  const scriptOf = async () =>
    (await db().select().from(mailboxRules).where(eq(mailboxRules.mailbox, ben)))[0]!.script;
  const redirectsTo = (address: string) => new RegExp(`redirect[^;]*${address}`);
  expect(await scriptOf()).toMatch(redirectsTo(cara));
  expect(await scriptOf()).not.toMatch(redirectsTo(ann));
  await restoreDeleted(ctx, deletedId);
  expect(await scriptOf()).toMatch(redirectsTo(ann));
});

test("an alias that returned to its mailbox stays there when a mailbox that had it meanwhile is restored", async () => {
  const sales = await anAlias(domain, ann);
  const first = await deleteMailbox(ctx, ann, { deliverTo: ben });
  const second = await deleteMailbox(ctx, ben, { deliverTo: cara });
  await restoreDeleted(ctx, first.deletedId);
  await restoreDeleted(ctx, second.deletedId);
  expect(await aliasesOf(ann)).toEqual([sales]);
  expect(await aliasesOf(ben)).toEqual([]);
});

test("the address of a restored mailbox stays its own when it is deleted again before a mailbox that had it meanwhile is restored", async () => {
  const first = await deleteMailbox(ctx, ann, { deliverTo: ben });
  const second = await deleteMailbox(ctx, ben);
  await restoreDeleted(ctx, first.deletedId);
  const again = await deleteMailbox(ctx, ann);
  await restoreDeleted(ctx, second.deletedId);
  expect(await aliasesOf(ben)).toEqual([]);
  expect((await resolveRecipients(db(), [ann, ben])).has(ann)).toBe(false);
  await restoreDeleted(ctx, again.deletedId);
  expect((await resolveRecipients(db(), [ann, ben])).size).toBe(2);
});

test("the list says who gets the mail, but not if the address is another company's alias by now", async () => {
  const page = { limit: 5, after: null, before: null, direction: "descending" } as const;
  const deliversTo = async () =>
    (await listDeleted(ctx, page)).page.rows.map((row) => row.deliversTo);
  await deleteMailbox(ctx, ann, { deliverTo: ben });
  expect(await deliversTo()).toEqual([ben]);

  const theirs = await aDomain((await aCompany()).id);
  const boss = (await aMailbox(theirs)).address;
  await db().delete(addresses).where(eq(addresses.address, ann));
  const moved = {
    address: ann,
    companyId: theirs.companyId,
    domainId: theirs.id,
    kind: "alias",
  } as const;
  await db().insert(addresses).values(moved);
  await db().insert(aliases).values({ address: ann, mailbox: boss });
  expect(await deliversTo()).toEqual([null]);
});
