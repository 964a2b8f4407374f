import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { mailboxes, mailHosts } from "#drizzle/schema/index.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import type { LeasedRecipient } from "#server/core/sending/outbox/lease-due-emails.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";
import { aPost } from "#server/testing/posts.ts";
import type { Carrier, Outcome } from "#worker/delivery/delivery.ts";

import { deliverEnvelope } from "./deliver-envelope.ts";

test("retries mail that the owners can't receive right now, instead of bouncing it", async () => {
  const { id: companyId } = await aCompany();
  await anAdmin(companyId, { isOwner: true });
  await db().execute(sql`
    insert into messages (id, company_id, origin, group_address, sender, is_sender_told, size,
      recipient_count)
    select uuidv7(), ${companyId}, 'group', 'abuse@shop.example', '', false, 1, 1
    from generate_series(1, 200)`);
  const { id, content, sender, ...author } = aPost();

  const [outcome] = await deliverEnvelope(
    {
      way: { kind: "owners", companyId },
      recipients: [{ recipient: "abuse@shop.example" } as LeasedRecipient],
    },
    {
      ...{ id, companyId, domain: null, isBatch: false, message: content, envelopeFrom: sender },
      isTlsOptional: false,
      ...{ author: () => author, rcptTo: (recipient: string) => recipient },
    },
    { db: db(), carrier: {} as Carrier, resolved: new Map() },
  );

  expect(outcome).toMatchObject({ result: "delayed", dsn: "4.7.1", suppress: false });
});

test("mail deferred because its mailbox was moved meanwhile is retried within seconds", async () => {
  for (const name of ["mail-1", "mail-2"])
    await db().insert(mailHosts).values({ name, address: name, certificate: "PEM" });
  const domain = await aDomain((await aCompany()).id);
  const store = () => aMailbox(domain, { storeHost: "mail-1" });
  const boxes = [await store(), await store(), await store()].map(({ address }) => address);
  const [moved, full, stored] = boxes as [string, string, string];
  const reply = { dsn: "4.3.0", message: "Temporary failure", suppress: false };
  const carrier = {
    deliver: async (): Promise<Outcome[]> => {
      await db().update(mailboxes).set({ storeHost: "mail-2" }).where(eq(mailboxes.address, moved));
      await db()
        .update(mailboxes)
        .set({ storeHost: "mail-2" })
        .where(eq(mailboxes.address, stored));
      return [
        { ...reply, recipient: moved, result: "delayed" },
        { ...reply, recipient: full, result: "delayed" },
        { ...reply, recipient: stored, result: "delivered" },
      ];
    },
  } as unknown as Carrier;
  const { id, content, sender, ...author } = aPost();

  const before = Date.now();
  const outcomes = await deliverEnvelope(
    {
      way: { kind: "carried", isHere: true, route: () => ({ kind: "mx", domain: "mail-1" }) },
      recipients: boxes.map((recipient) => ({ recipient }) as LeasedRecipient),
    },
    {
      ...{ id, companyId: domain.companyId, domain: null, isBatch: false, isTlsOptional: false },
      ...{ message: content, envelopeFrom: sender, author: () => author },
      rcptTo: (recipient: string) => recipient,
    },
    { db: db(), carrier, resolved: await resolveRecipients(db(), boxes) },
  );

  expect(outcomes.map(({ message, retryAt }) => [message, retryAt !== undefined])).toEqual([
    ["The mailbox was just moved to another mail host", true],
    ["Temporary failure", false],
    ["Temporary failure", false],
  ]);
  expect(outcomes[0]!.retryAt! - before).toBeLessThan(60_000);
});
