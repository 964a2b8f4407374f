import { createTransport } from "nodemailer";
import { desc, eq, like, or, sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";

import { mailLog } from "#drizzle/schema/index.ts";
import { deleteOldMailLog, flushMailLog, recordMail } from "#server/core/mail/mail-log/mail-log.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { aMailboxSender, submissionListeners } from "#server/testing/a-submission-listener.ts";
import { mxListeners } from "#server/testing/an-mx-listener.ts";
import { aCompany, aDomain, aGroup } from "#server/testing/factories.ts";
import { outsideDns } from "#server/testing/signed-mail.ts";

const anMxListener = mxListeners();
const aSubmissionListener = submissionListeners();

const MESSAGE_ID = "<1.kim@there.test>";
const MESSAGE = `From: Kim <kim@there.test>\r\nMessage-ID: ${MESSAGE_ID}\r\nSubject: Hello\r\n\r\nHello\r\n`;
const tls = { rejectUnauthorized: false };
const entriesOf = async (recipient: string) => {
  await flushMailLog();
  return db().select().from(mailLog).where(eq(mailLog.recipient, recipient)).orderBy(mailLog.id);
};

test("records each recipient of incoming mail with the reply, accepted or rejected", async () => {
  const company = await aCompany();
  const domain = await aDomain(company.id);
  const { address: group } = await aGroup(domain, { members: [`x@elsewhere.test`] });
  const { port } = await anMxListener();
  const transport = createTransport({ host: "127.0.0.1", port, name: "mx.there.test", tls });
  const nobody = `nobody@${domain.name}`;
  const envelope = { from: "kim@there.test", to: [group, nobody] };
  await transport.sendMail({ envelope, raw: MESSAGE }).catch(() => {});
  transport.close();

  expect(await entriesOf(nobody)).toMatchObject([
    {
      kind: "refused",
      reply: "550 5.1.1 No such recipient here",
      sender: "kim@there.test",
      clientAddress: "127.0.0.1",
      helo: "mx.there.test",
      companyId: company.id,
    },
  ]);
  const [taken] = await entriesOf(group);
  expect(taken).toMatchObject({
    companyId: company.id,
    size: expect.any(Number) as number,
    messageId: MESSAGE_ID,
  });
  expect(["received", "refused"]).toContain(taken!.kind);
});

test("records what happened to a message at each recipient after a 250", async () => {
  const domain = await aDomain((await aCompany()).id);
  const members = ["x@elsewhere.test"];
  const { address: open } = await aGroup(domain, { members });
  const { address: empty } = await aGroup(domain, { members: [] });
  const { address: closed } = await aGroup(domain, { members, posting: "members" });
  const { address: moderated } = await aGroup(domain, { members, moderation: "all" });
  const { resolver } = await outsideDns({ "there.test": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] } });
  const { port } = await anMxListener({ resolver });
  const transport = createTransport({ host: "127.0.0.1", port, name: "mx.there.test", tls });
  const send = (from: string, to: string[]) =>
    transport.sendMail({ envelope: { from, to }, raw: MESSAGE });
  await send("kim@there.test", [open, closed]);
  await send("", [open]);
  await send("kim@there.test", [empty]);
  await send("kim@there.test", [moderated]);
  transport.close();

  expect(await entriesOf(open)).toMatchObject([
    { kind: "received", reply: "250 2.0.0 Accepted" },
    {
      kind: "refused",
      sender: "",
      reply: "250 2.0.0 Accepted; discarded: groups don't distribute mail with a null sender",
    },
  ]);
  expect(await entriesOf(empty)).toMatchObject([
    { kind: "refused", reply: "250 2.0.0 Accepted; discarded: the group has no members" },
  ]);
  expect(await entriesOf(moderated)).toMatchObject([
    { kind: "received", reply: "250 2.0.0 Accepted; waiting for a moderator of the group" },
  ]);
  const [refused] = await entriesOf(closed);
  expect(refused!.kind).toBe("refused");
  expect(refused!.reply).toMatch(/^250 2\.0\.0 Accepted; not delivered: 550 5\.7\.2 This group/);
});

test("records submissions, rejections and failed sign-ins, never the password", async () => {
  const { address, companyId } = await aMailboxSender();
  const { port } = await aSubmissionListener();
  const as = (pass: string) =>
    createTransport({ host: "127.0.0.1", port, tls, auth: { user: address, pass } });
  const raw = MESSAGE.replace("kim@there.test", address);
  const to = `x-${address.split("@")[1]}@elsewhere.test`;
  await as("test password").sendMail({ envelope: { from: address, to }, raw });
  await as("hunter2-secret")
    .sendMail({ envelope: { from: address, to }, raw })
    .catch(() => {});
  const forged = { from: "boss@elsewhere.test", to };
  await as("test password")
    .sendMail({ envelope: forged, raw })
    .catch(() => {});
  await flushMailLog();

  expect(await entriesOf(to)).toMatchObject([
    {
      kind: "submitted",
      companyId,
      messageId: MESSAGE_ID,
      reply: expect.stringMatching(/^250 2\.0\.0 Queued as message/) as string,
    },
  ]);
  const others = await db()
    .select()
    .from(mailLog)
    .where(or(eq(mailLog.sender, address), eq(mailLog.sender, "boss@elsewhere.test")))
    .orderBy(desc(mailLog.id));
  expect(others.map(({ kind }) => kind).toSorted()).toEqual([
    "refused",
    "sign_in_failed",
    "submitted",
  ]);
  expect(others.map((entry) => entry.companyId).toSorted()).toEqual([companyId, companyId, null]);
  expect(JSON.stringify(others, (_, value: unknown) => String(value))).not.toContain("hunter2");
});

const NOTE = {
  kind: "refused" as const,
  companyId: null,
  clientAddress: "192.0.2.1",
  helo: "a\0b",
  sender: "a@b.test",
  size: null,
  messageId: null,
  reply: "550 5.1.1 No",
};

const broken = connect("postgres://nobody@127.0.0.1:1/none");
afterAll(() => broken.close());

test("buffers entries during a database outage, up to a limit", async () => {
  const recipient = `late-${Date.now()}@b.test`;
  recordMail(broken.db, { ...NOTE, recipient });
  await flushMailLog();
  recordMail(db(), { ...NOTE, recipient, reply: "x".repeat(5_000) });
  const entries = await entriesOf(recipient);
  expect(entries.map(({ reply }) => reply.length)).toEqual([12, 500]);
  expect(entries[0]!.helo).toBe("a\ufffdb");
});

test("deletes only entries older than seven days", async () => {
  const recipient = `old-${Date.now()}@b.test`;
  for (const days of [6, 8])
    await db()
      .insert(mailLog)
      .values({
        ...NOTE,
        helo: null,
        recipient,
        createdAt: sql`now() - make_interval(days => ${days})`,
      });
  expect(await deleteOldMailLog(db(), 7)).toBe(1);
  expect(await entriesOf(recipient)).toHaveLength(1);
});

test("an entry that can never be written doesn't block others", async () => {
  const note = {
    kind: "refused" as const,
    companyId: null,
    helo: "x",
    sender: null,
    size: null,
    messageId: null,
    reply: "550 5.1.1 No",
    clientAddress: "198.51.100.7",
  };
  const recipients = Array.from({ length: 9 }, (_, i) => `poison${i}@there.test`);
  for (const recipient of recipients)
    recordMail(db(), {
      ...note,
      recipient,
      ...(recipient.startsWith("poison4") && { clientAddress: "fe80::1%eth0 no address" }),
    });
  await flushMailLog();
  const written = await db()
    .select({ recipient: mailLog.recipient })
    .from(mailLog)
    .where(like(mailLog.recipient, "poison%"))
    .orderBy(mailLog.recipient);
  expect(written.map(({ recipient }) => recipient)).toEqual(
    recipients.filter((recipient) => !recipient.startsWith("poison4")),
  );
});
