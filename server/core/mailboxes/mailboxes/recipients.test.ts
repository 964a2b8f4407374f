import { expect, test } from "vitest";

import { forwardSuspensions, mailboxUsage } from "#drizzle/schema/index.ts";
import { refreshRules, saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { db } from "#server/db/pool.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  allowForwarding,
  aMailbox,
  anAlias,
} from "#server/testing/factories.ts";

import { findWithoutRoom, resolveRecipients } from "./recipients.ts";

const VACATION = {
  isOn: true,
  subject: "Away",
  text: "Away",
  startsOn: null,
  endsOn: null,
  timeZone: "Europe/Berlin",
};

test("a mailbox has no room for a message larger than what is left of its quota, unless it only forwards", async () => {
  const ctx = aContext((await aCompany()).id);
  const domain = await aDomain(ctx.companyId);
  const boxes: string[] = [];
  for (const keepCopy of [null, true, false]) {
    const { address } = await aMailbox(domain, { quotaMb: 1 });
    boxes.push(address);
    await db()
      .insert(mailboxUsage)
      .values({ address, usedBytes: 1024 * 1024 - 500 });
    await allowForwarding(ctx.companyId);
    if (keepCopy === null) continue;
    const forwardTo = ["ben@there.test", "zoe@there.test"];
    await saveRules(ctx, address, { forwardTo, keepCopy });
  }
  const { address: unused } = await aMailbox(domain, { quotaMb: 1 });
  const recipients = (await resolveRecipients(db(), [...boxes, unused])).values().toArray();
  expect(await findWithoutRoom(db(), recipients, 500)).toEqual(new Set());
  expect(await findWithoutRoom(db(), recipients, 501)).toEqual(new Set(boxes.slice(0, 2)));
  await saveRules(ctx, boxes[2]!, { vacation: { ...VACATION, text: 'No\nredirect "x"' } });
  const failure = { dsn: "5.1.1", reply: "550", suspendedAt: new Date().toISOString() };
  await db()
    .insert(forwardSuspensions)
    .values({ mailbox: boxes[2]!, target: "ben@there.test", ...failure });
  await refreshRules(ctx, boxes[2]!);
  expect(await findWithoutRoom(db(), recipients, 501)).toEqual(new Set(boxes));
});

test("resolves local addresses in any case, with or without a tag", async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  const upper = address.toUpperCase();
  const tagged = upper.replace("@", "+Tag@");
  const found = await resolveRecipients(db(), [upper, tagged]);
  expect([...found].map(([given, { kind }]) => [given, kind])).toEqual([
    [upper, "mailbox"],
    [tagged, "mailbox"],
  ]);
  for (const recipient of found.values()) expect(recipient).toMatchObject({ mailbox: address });
});

test("a mailbox's catch-all covers addresses that don't exist, but not those of inactive groups", async () => {
  const domain = await aDomain((await aCompany()).id);
  const at = (local: string) => `${local}@${domain.name}`;
  const [{ address: boss }, { address: ann }] = [await aMailbox(domain), await aMailbox(domain)];
  await anAlias(domain, boss, at("*"));
  await aGroup(domain, { address: at("closed"), active: false });
  const [tagged, elsewhere] = [
    ann.replace("@", "+tag@"),
    `x@${(await aDomain(domain.companyId)).name}`,
  ];
  const found = await resolveRecipients(db(), [
    at("unknown"),
    at("Unknown+tag"),
    ann,
    tagged,
    boss,
    at("closed"),
    at("abuse"),
    at("Postmaster"),
    elsewhere,
  ]);
  expect(Object.fromEntries(found)).toEqual({
    [at("unknown")]: expect.objectContaining({ mailbox: boss, isCatchAll: true }) as unknown,
    [at("Unknown+tag")]: expect.objectContaining({ mailbox: boss, isCatchAll: true }) as unknown,
    [ann]: expect.objectContaining({ mailbox: ann, isCatchAll: false }) as unknown,
    [tagged]: expect.objectContaining({ mailbox: ann, isCatchAll: false }) as unknown,
    [boss]: expect.objectContaining({ mailbox: boss, isCatchAll: false }) as unknown,
  });
});
