import type { Outcome } from "#mail/smtp/outcome.ts";
import { eq, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { expect, test } from "vitest";

import {
  emailEvents,
  mailboxes,
  mailboxUsage,
  mailHosts,
  receivedEmails,
} from "#drizzle/schema/index.ts";
import { encodePendingPost } from "#server/core/mail/group-posts/post.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { LeasedRecipient } from "#server/core/sending/outbox/email-leases.ts";
import { db } from "#server/db/pool.ts";
import {
  aCompany,
  aDomain,
  aMailbox,
  anAdmin,
  anInboundAddress,
} from "#server/testing/factories.ts";
import { aPost } from "#server/testing/posts.ts";
import { aQueuedEmail, aSender } from "#server/testing/queued-emails.ts";
import type { Carrier } from "#worker/delivery/delivery.ts";

import { deliverEnvelope } from "./deliver-envelope.ts";
import type { DeliveryMethod } from "./plan-deliveries.ts";

test("retries mail that the owners can't receive right now, instead of bouncing it", async () => {
  const { id: companyId } = await aCompany();
  await anAdmin(companyId, { isOwner: true });
  await db().execute(sql`
    insert into messages (id, company_id, origin, group_address, sender, is_sender_told, size,
      recipient_count)
    select uuidv7(), ${companyId}, 'group', 'abuse@shop.example', '', false, 1, 1
    from generate_series(1, 200)`);
  const { id, message, sender, ...author } = aPost();

  const [outcome] = await deliverEnvelope(
    {
      way: { kind: "owners", companyId },
      recipients: [{ recipient: "abuse@shop.example" } as LeasedRecipient],
    },
    {
      id,
      companyId,
      domain: null,
      isBatch: false,
      isTest: false,
      message,
      envelopeFrom: sender,
      isTlsOptional: false,
      origin: null,
      author: () => author,
      rcptTo: (recipient: string) => recipient,
    },
    { db: db(), carrier: {} as Carrier, resolved: new Map(), maySend: () => true },
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
  const { id, message, sender, ...author } = aPost();

  const before = Date.now();
  const outcomes = await deliverEnvelope(
    {
      way: { kind: "carried", isHere: true, route: () => ({ kind: "mx", domain: "mail-1" }) },
      recipients: boxes.map((recipient) => ({ recipient }) as LeasedRecipient),
    },
    {
      id,
      companyId: domain.companyId,
      domain: null,
      isBatch: false,
      isTest: false,
      isTlsOptional: false,
      message,
      envelopeFrom: sender,
      author: () => author,
      origin: null,
      rcptTo: (recipient: string) => recipient,
    },
    { db: db(), carrier, resolved: await resolveRecipients(db(), boxes), maySend: () => true },
  );

  expect(outcomes.map(({ message, retryAt }) => [message, retryAt !== undefined])).toEqual([
    ["The mailbox was just moved to another mail host", true],
    ["Temporary failure", false],
    ["Temporary failure", false],
  ]);
  expect(outcomes[0]!.retryAt! - before).toBeLessThan(60_000);
});

test("a message larger than the room in a mailbox isn't given to Dovecot, which would forward it at each retry", async () => {
  const domain = await aDomain((await aCompany()).id);
  const [full, open] = [await aMailbox(domain, { quotaMb: 1 }), await aMailbox(domain)];
  await db()
    .insert(mailboxUsage)
    .values({ address: full.address, usedBytes: 1024 * 1024 - 10 });
  const attempted: string[] = [];
  const carrier = {
    deliver: ({ recipients }: { recipients: string[] }): Promise<Outcome[]> => {
      attempted.push(...recipients);
      const stored = { result: "delivered", dsn: "2.0.0", message: "OK", suppress: false } as const;
      return Promise.resolve(recipients.map((recipient) => ({ recipient, ...stored })));
    },
  } as unknown as Carrier;
  const { id, message, sender, ...author } = aPost();
  for (const boxes of [[full.address, open.address], [full.address]]) {
    const outcomes = await deliverEnvelope(
      {
        way: { kind: "carried", isHere: true, route: () => ({ kind: "simulated" }) },
        recipients: boxes.map((recipient) => ({ recipient }) as LeasedRecipient),
      },
      {
        id,
        companyId: domain.companyId,
        domain: null,
        isBatch: false,
        isTest: false,
        isTlsOptional: false,
        message,
        envelopeFrom: sender,
        author: () => author,
        origin: null,
        rcptTo: (recipient: string) => recipient,
      },
      { db: db(), carrier, resolved: await resolveRecipients(db(), boxes), maySend: () => true },
    );
    expect(outcomes[0]).toMatchObject({ result: "delayed", dsn: "4.2.2" });
    expect(outcomes).toHaveLength(boxes.length);
  }
  expect(attempted).toEqual([open.address]);
});

test.each<[string, DeliveryMethod]>([
  ["a mailbox", { kind: "carried", isHere: true, route: () => ({ kind: "simulated" }) }],
  ["an outside address", { kind: "carried", isHere: false, route: () => ({ kind: "simulated" }) }],
  ["an inbound address", { kind: "inbound", companyId: uuidv7() }],
  ["an address of the owners", { kind: "owners", companyId: uuidv7() }],
])("a copy for another company's group bounces once the group is %s", async (_, way) => {
  const { id, sender, ...post } = aPost();
  const message = encodePendingPost(post);
  const outcomes = await deliverEnvelope(
    { way, recipients: [{ recipient: "team@shop.example" } as LeasedRecipient] },
    {
      id,
      companyId: uuidv7(),
      domain: null,
      isBatch: false,
      isTest: false,
      isTlsOptional: false,
      origin: "group",
      message,
      envelopeFrom: sender,
      author: () => post,
      rcptTo: (recipient: string) => recipient,
    },
    { db: db(), carrier: {} as Carrier, resolved: new Map(), maySend: () => true },
  );
  expect(outcomes).toMatchObject([{ result: "bounced", dsn: "5.1.1", suppress: false }]);
});

const receivedBy = (companyId: string) =>
  db().select().from(receivedEmails).where(eq(receivedEmails.companyId, companyId));

test("stores mail for inbound addresses once, and retries it while the company's storage is full", async () => {
  const domain = await aDomain((await aCompany()).id);
  const recipients = [await anInboundAddress(domain), await anInboundAddress(domain)].toSorted();
  const { companyId } = domain;
  const { message, sender, ...author } = aPost();
  const deliver = (id: string) =>
    deliverEnvelope(
      {
        way: { kind: "inbound", companyId },
        recipients: recipients.map((recipient) => ({ recipient }) as LeasedRecipient),
      },
      {
        id,
        companyId,
        domain: null,
        isBatch: false,
        isTest: false,
        isTlsOptional: false,
        origin: null,
        message,
        envelopeFrom: sender,
        author: () => author,
        rcptTo: (recipient: string) => recipient,
      },
      { db: db(), carrier: {} as Carrier, resolved: new Map(), maySend: () => true },
    );
  const id = uuidv7();
  for (let round = 0; round < 2; round++)
    expect(await deliver(id)).toMatchObject(
      recipients.map((recipient) => ({ recipient, result: "delivered" })),
    );
  expect(await receivedBy(companyId)).toMatchObject([
    { sender, receivedFor: recipients, spf: null, isSpam: false, size: message.raw.length },
  ]);

  await db()
    .update(receivedEmails)
    .set({ size: 1024 ** 3 })
    .where(eq(receivedEmails.companyId, companyId));
  const [full] = await deliver(uuidv7());
  expect(full).toMatchObject({ result: "delayed", dsn: "4.2.2", suppress: false });
  expect(await receivedBy(companyId)).toHaveLength(1);
});

test.each([
  ["submission", ["replied"]],
  ["forward", []],
] as const)("a %s that a mailbox has can be a reply", async (origin, recorded) => {
  const from = await aSender();
  const emailId = await aQueuedEmail(from, "ben@example.org");
  const { address } = await aMailbox(from);
  const fields = [`In-Reply-To: <${emailId}@${from.name}>`];
  const { id, message, sender, ...author } = aPost({ fields });
  await deliverEnvelope(
    {
      way: { kind: "carried", isHere: true, route: () => ({ kind: "mx", domain: "mail-1" }) },
      recipients: [{ recipient: address } as LeasedRecipient],
    },
    {
      id,
      companyId: from.companyId,
      domain: null,
      isBatch: false,
      isTest: false,
      isTlsOptional: false,
      message,
      envelopeFrom: sender,
      author: () => author,
      origin,
      rcptTo: (recipient: string) => recipient,
    },
    {
      db: db(),
      carrier: {
        deliver: () =>
          Promise.resolve([
            { recipient: address, result: "delivered", dsn: "2.0.0", message: "", suppress: false },
          ]),
      } as unknown as Carrier,
      resolved: await resolveRecipients(db(), [address]),
      maySend: () => true,
    },
  );
  const history = await db().select().from(emailEvents).where(eq(emailEvents.emailId, emailId));
  expect(history.map(({ type }) => type).filter((type) => type.includes("replied"))).toEqual(
    recorded,
  );
});
