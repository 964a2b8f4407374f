import { eq } from "drizzle-orm";
import { createTransport, type SendMailOptions, type Transporter } from "nodemailer";
import { expect, test } from "vitest";

import {
  apiKeys,
  companies,
  emailBodies,
  emails,
  mailboxes,
  messageContents,
  messageRecipients,
  messages,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aMailboxSender, submissionListeners } from "#server/testing/a-submission-listener.ts";
import { withSettings } from "#server/testing/api-sender.ts";
import { anApiKey } from "#server/testing/factories.ts";

const aListener = submissionListeners();

async function anApp(
  user: string,
  pass = "test password",
  { isImplicitTls = true, ...options }: { isImplicitTls?: boolean; authMethod?: string } = {},
): Promise<Transporter> {
  const { port } = await aListener({ isImplicitTls });
  return createTransport({
    host: "127.0.0.1",
    port,
    secure: isImplicitTls,
    requireTLS: true,
    auth: { user, pass },
    tls: { rejectUnauthorized: false },
    ...options,
  });
}

/** The server's reply, whatever it was. */
const send = (app: Transporter, message: SendMailOptions): Promise<string> =>
  app.sendMail({ to: "bob@elsewhere.test", subject: "Hello", text: "Hi", ...message }).then(
    (info) => String(info.response),
    (error: unknown) =>
      String(error instanceof Error && "response" in error ? error.response : error),
  );

test.each([
  [true, "PLAIN"],
  [true, "LOGIN"],
  [false, "PLAIN"],
])("a mail app can send (implicit TLS: %s, %s)", async (isImplicitTls, authMethod) => {
  const ann = await aMailboxSender();
  const app = await anApp(ann.address, undefined, { isImplicitTls, authMethod });
  const reply = await send(app, {
    from: { name: "Jörg Ångström", address: ann.address },
    to: [ann.colleague, "carl@elsewhere.test"],
    bcc: "dora@elsewhere.test",
    subject: "Grüße",
    attachments: [{ filename: "a.bin", content: Buffer.alloc(300_000, 7) }],
    dsn: { id: "x", return: "headers", notify: ["failure", "delay"], recipient: ann.address },
  });

  expect(reply).toMatch(/^250 2\.0\.0 Queued as message /);
  const id = reply.split(" ").at(-1)!;
  const [message] = await db().select().from(messages).where(eq(messages.id, id));
  expect(message).toMatchObject({
    mailbox: ann.address,
    headerFrom: `Jörg Ångström <${ann.address}>`,
    subject: "Grüße",
    recipientCount: 3,
    envelopeId: "x",
    returnFull: false,
    clientAddress: "127.0.0.1",
  });
  const recipients = await db()
    .select()
    .from(messageRecipients)
    .where(eq(messageRecipients.messageId, id));
  expect(recipients[0]).toMatchObject({ notify: ["failure", "delay"] });
  const [kept] = await db().select().from(messageContents).where(eq(messageContents.messageId, id));
  expect(kept!.content.toString("latin1")).not.toContain("dora@");
});

// RFC 6047: programs read the method from Content-Type, and the event from the part as it was sent.
test("an invitation keeps its calendar part as it was sent", async () => {
  const ann = await aMailboxSender();
  const body = [
    "--x",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "Lunch ",
    "--x",
    'Content-Type: text/calendar; charset="utf-8"; METHOD=REQUEST',
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from("BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n").toString("base64"),
    "--x--",
    "",
  ].join("\r\n");
  const header = `From: ${ann.address}\r\nSubject: Lunch\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=x\r\n`;
  const raw = `${header}\r\n${body}`;
  const reply = await send(await anApp(ann.address), {
    envelope: { from: ann.address, to: [ann.colleague, "bob@elsewhere.test"] },
    raw,
  });
  const messageId = reply.split(" ").at(-1)!;
  const [kept] = await db()
    .select()
    .from(messageContents)
    .where(eq(messageContents.messageId, messageId));
  const content = kept!.content.toString("latin1");
  expect(content.endsWith(`\r\n\r\n${body}`)).toBe(true);
  expect(content).toContain("\r\nContent-Type: multipart/alternative; boundary=x\r\n");
});

const UNUSUAL = ["A..b@there.test", ".a@there.test", "a.@there.test", '"a,b"@there.test'];

test("a mailbox user and an API key can reply to senders with dots anywhere or quotes", async () => {
  const ann = await aMailboxSender();
  const { token } = await anApiKey(ann.companyId);
  const raw = `From: ${ann.address}\r\nTo: ${UNUSUAL.join(", ")}\r\nSubject: Hi\r\n\r\nHi`;
  const message = { envelope: { from: ann.address, to: UNUSUAL }, raw };
  const idOf = (reply: string) => reply.split(" ").at(-1)!;
  const id = idOf(await send(await anApp(ann.address), message));
  const rows = await db()
    .select()
    .from(messageRecipients)
    .where(eq(messageRecipients.messageId, id));
  expect(rows.map(({ recipient }) => recipient)).toEqual(UNUSUAL);
  const emailId = idOf(await send(await anApp("posthouse", token), message));
  const [email] = await db().select().from(emails).where(eq(emails.id, emailId));
  expect(email!.to).toEqual(UNUSUAL.map((address) => address.toLowerCase()));
  expect(email!.bcc).toEqual([]);
});

const later = new Date().toISOString();
test.each<[string, object, RegExp]>([
  ["suspended", { suspendedAt: later }, /^535 5\.7\.1 .*suspended/],
  ["with a password to change", { forcePasswordChange: true }, /^535 5\.7\.1 .*\/account/],
])("a mailbox %s can't sign in, and the reply says why", async (_, values, reply) => {
  const ann = await aMailboxSender();
  await db().update(mailboxes).set(values).where(eq(mailboxes.address, ann.address));
  expect(await send(await anApp(ann.address), { from: ann.address })).toMatch(reply);
  expect(await send(await anApp(ann.address, "wrong"), { from: ann.address })).toMatch(
    /^535 5\.7\.8/,
  );
});

test("a mailbox whose unit may not send can't sign in", async () => {
  const ann = await aMailboxSender();
  await db()
    .update(orgUnits)
    .set({ submissionAllowed: false })
    .where(eq(orgUnits.companyId, ann.companyId));
  expect(await send(await anApp(ann.address), { from: ann.address })).toMatch(/^535 5\.7\.1/);
});

test("password guessing is throttled without locking out the owner's network", async () => {
  const ann = await aMailboxSender();
  for (let i = 0; i < 11; i++) await send(await anApp(ann.colleague, `wrong ${i}`), {});
  expect(await send(await anApp(ann.colleague), {})).toMatch(/^454 4\.7\.0 .*Try again in/);
  expect(await send(await anApp(ann.address), { from: ann.address })).toMatch(/^250/);
});

test("defers messages over the hourly limit, and the reply says until when", async () => {
  await withSettings({ hourly_recipients_mailbox: 2 });
  const ann = await aMailboxSender();
  const app = await anApp(ann.address);
  expect(await send(app, { from: ann.address, cc: "c@elsewhere.test" })).toMatch(/^250/);
  expect(await send(app, { from: ann.address })).toMatch(/^450 4\.7\.1 .* Try again in 60 minutes/);
});

test("only envelope recipients receive it, whatever the header says", async () => {
  const { key, domain } = await aMailboxSender();
  const app = await anApp("posthouse", key);
  const from = `post@${domain.name}`;
  const sent = async (to: string, recipients: string[]) => {
    const envelope = { from, to: recipients };
    const raw = `From: ${from}\r\n${to}Subject: x\r\n\r\nHi\r\n`;
    const reply = await send(app, { envelope, raw });
    const [email] = await db()
      .select()
      .from(emails)
      .where(eq(emails.id, reply.split(" ").at(-1)!));
    return { to: email!.to, bcc: email!.bcc };
  };
  const [bob, eve] = ["bob@elsewhere.test", "eve@elsewhere.test"];
  expect(await sent(`To: Bob <${bob}>, ${eve}\r\n`, [bob])).toEqual({ to: [bob], bcc: [] });
  expect(await sent(`To: x@y.test, team: ${bob}, z@y.test;\r\n`, [bob, eve])).toEqual({
    to: [bob],
    bcc: [eve],
  });
  expect(await sent("To: undisclosed-recipients:;\r\n", [bob])).toEqual({ to: [bob], bcc: [] });
  expect(await sent("", [bob])).toEqual({ to: [bob], bcc: [] });
});

test("a key and a mailbox user can write a sender as in the API", async () => {
  const { key, address, domain } = await aMailboxSender();
  const envelope = { from: address, to: "bob@elsewhere.test" };
  const raw = (from: string) => `From: ${from}\r\nSubject: x\r\n\r\nHi\r\n`;
  const comment = `Reply+AbC@${domain.name} (cron)`;
  const reply = await send(await anApp("posthouse", key), { envelope, raw: raw(comment) });
  const id = reply.split(" ").at(-1)!;
  const [email] = await db().select().from(emails).where(eq(emails.id, id));
  expect(email!.from).toBe(`cron <Reply+AbC@${domain.name}>`);
  const [{ source } = {}] = await db()
    .select()
    .from(emailBodies)
    .where(eq(emailBodies.emailId, id));
  expect(source!.toString()).toContain(`\r\nFrom: cron <Reply+AbC@${domain.name}>\r\n`);

  const app = await anApp(address);
  expect(await send(app, { envelope, raw: raw(`"max@y.test" <${address}>`) })).toMatch(/^250/);
  expect(await send(app, { envelope, raw: raw(`${address} <${address}>`) })).toMatch(/^250/);
  expect(await send(app, { envelope, raw: raw(`max@y.test <${address}>`) })).toBe(
    "550 5.7.1 From must be a valid email address, with or without a display name",
  );
});

type Key = { token: string; id: string; companyId: string };
const change = (companyId: string, values: Partial<typeof companies.$inferInsert>) =>
  db().update(companies).set(values).where(eq(companies.id, companyId));

test.each<[string, (key: Key) => PromiseLike<unknown>, RegExp]>([
  [
    "revoked",
    ({ id }) => db().update(apiKeys).set({ revokedAt: later }).where(eq(apiKeys.id, id)),
    /^535 5\.7\.8/,
  ],
  [
    "of a suspended company",
    (key) => change(key.companyId, { suspendedAt: later }),
    /^535 5\.7\.8/,
  ],
  [
    "of a company without the service",
    (key) => change(key.companyId, { serviceEnabled: false }),
    /^535 5\.7\.1 .*turned off/,
  ],
  [
    "used from elsewhere",
    (key) => change(key.companyId, { allowedAddresses: ["192.0.2.0/24"] }),
    /^535 5\.7\.1 .*allow-list/,
  ],
  [
    "of a company with an invoice overdue",
    (key) =>
      change(key.companyId, { overdueInvoice: { number: "4711", paymentUrl: "https://pay.test" } }),
    /^535 5\.7\.1 Invoice 4711/,
  ],
])("rejects a key %s, at sign-in and on an open connection", async (_, act, reply) => {
  const { companyId, domain } = await aMailboxSender();
  const key = await anApiKey(companyId, { permission: "sending_access" });
  const { port } = await aListener({ isImplicitTls: true });
  const settings = {
    host: "127.0.0.1",
    port,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: "Posthouse", pass: key.token },
  };
  const open = createTransport({ ...settings, pool: true, maxConnections: 1 });
  const from = `post@${domain.name}`;
  expect(await send(open, { from })).toMatch(/^250/);
  await act({ ...key, companyId });
  expect(await send(open, { from })).toMatch(/^550 5\.7\.1/);
  open.close();
  expect(await send(createTransport(settings), { from })).toMatch(reply);
});

test.each<[string, SendMailOptions, RegExp]>([
  [
    "a domain that is not the company's",
    { from: "x@elsewhere.test" },
    /^550 5\.7\.1 elsewhere\.test/,
  ],
  [
    "several authors",
    { from: "a@b.test, c@d.test" },
    /^550 5\.7\.1 From must be a valid email address/,
  ],
  [
    "too many recipients",
    { to: Array.from({ length: 51 }, (_, i) => `r${i}@elsewhere.test`) },
    /^(452 4\.5\.3|250)/,
  ],
])("with an API key, rejects %s with the API's error message", async (_, message, reply) => {
  const { key, domain, companyId } = await aMailboxSender();
  const app = await anApp("posthouse", key);
  expect(await send(app, { from: `post@${domain.name}`, ...message })).toMatch(reply);
  const kept = await db().select().from(emails).where(eq(emails.companyId, companyId));
  expect(kept.every(({ to }) => to.length <= 50)).toBe(true);
});

test("reports API limits of keys as temporary errors", async () => {
  await withSettings({ hourly_recipients_company: 1 });
  const { key, domain } = await aMailboxSender();
  const app = await anApp("posthouse", key);
  const from = `post@${domain.name}`;
  expect(await send(app, { from })).toMatch(/^250/);
  expect(await send(app, { from })).toMatch(/^450 4\.7\.1 Hourly sending limit/);
});

test("throttles wrong keys per source network, but never valid keys", async () => {
  const { key, domain } = await aMailboxSender();
  for (let i = 0; i < 11; i++) await send(await anApp("posthouse", `re_wrong_${i}`), {});
  expect(await send(await anApp("posthouse", "re_wrong_x"), {})).toMatch(/^454 4\.7\.0/);
  expect(await send(await anApp("posthouse", key), { from: `p@${domain.name}` })).toMatch(
    /^(250|450)/,
  );
});
