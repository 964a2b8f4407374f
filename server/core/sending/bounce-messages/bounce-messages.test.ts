import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { messageContents, messages } from "#drizzle/schema/index.ts";
import { readIncoming } from "#server/core/mail/incoming/read-incoming.ts";
import { db } from "#server/db/pool.ts";
import {
  aLeasedMessage,
  ANN,
  backdate,
  BUSY,
  type LeasedMessage,
  leaseMessage,
  recipientsOf,
  REFUSED,
  reports,
  theReport,
} from "#server/testing/leased-messages.ts";

beforeEach(async () => {
  await db().delete(messages);
});

test("recipients that fail together share one bounce message", async () => {
  const { record } = await aLeasedMessage({
    to: [{ address: "a@x.test", originalRecipient: "rfc822;alias@y.test" }, "b@x.test", "c@x.test"],
    subject: "Grüße",
    envelopeId: "QQ314159",
  });
  await record(
    { ...REFUSED, host: "mx.x.test" },
    {},
    { result: "bounced", dsn: "5.2.2", message: "552 5.2.2 Over quota" },
  );

  const { mail, message, recipient, text, raw, status } = await theReport();
  expect(recipient).toBe(ANN);
  expect(message).toMatchObject({ sender: "", isSenderTold: false, origin: "report" });
  expect(mail.from!.value).toEqual([
    { name: "Mail delivery", address: "postmaster@mail.here.test" },
  ]);
  expect(mail.subject).toBe("Not delivered: 2 recipients");
  expect(mail.inReplyTo).toBe("<greetings@example.com>");
  expect(mail.references).toBe("<greetings@example.com>");
  expect(mail.headers.get("auto-submitted")).toBe("auto-replied");
  expect(text).toContain("Subject: Grüße");
  expect(text).toContain("a@x.test\n  The mailbox does not exist. Check the address");
  expect(text).toContain("c@x.test\n  The mailbox is full.");
  expect(text).not.toContain("b@x.test");
  expect(status).toMatch(
    /^Reporting-MTA: dns; mail.here.test\r\nOriginal-Envelope-Id: QQ314159\r\nArrival-Date: .*\r\n\r\nOriginal-Recipient: rfc822; alias@y.test\r\nFinal-Recipient: rfc822; a@x.test\r\nAction: failed\r\nStatus: 5.1.1\r\nRemote-MTA: dns; mx.x.test\r\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\r\nLast-Attempt-Date: .*\r\n\r\nFinal-Recipient: rfc822; c@x.test\r\nAction: failed\r\nStatus: 5.2.2\r\n/,
  );
  expect(await readIncoming(raw)).toEqual({
    kind: "bounce",
    bounce: {
      failures: [
        {
          addresses: ["alias@y.test", "a@x.test"],
          dsn: "5.1.1",
          message: "550 5.1.1 User unknown",
        },
        { addresses: ["c@x.test"], dsn: "5.2.2", message: "552 5.2.2 Over quota" },
      ],
      trace: [],
    },
  });
});

test.each([
  { returnFull: true, type: "message/rfc822", hasBody: true },
  { returnFull: false, type: "text/rfc822-headers", hasBody: false },
])(
  "with RET=$returnFull the original message is attached as $type",
  async ({ returnFull, type, hasBody }) => {
    const { record } = await aLeasedMessage({ to: ["a@x.test"], returnFull });
    await record(REFUSED);

    const { raw } = await theReport();
    expect(raw.toString()).toContain(`Content-Type: ${type}`);
    expect(raw.toString()).toContain("Message-ID: <greetings@example.com>\r\n");
    expect(raw.includes("\r\nHello\r\n")).toBe(hasBody);
  },
);

test.each([
  ["larger than a report may be", `Subject: x\r\n\r\n${"line\r\n".repeat(100_000)}`],
  ["with line ends that no server is sent", "Subject: x\nX-Y: z\r\n\r\nline\nline\r\n"],
])("for a message %s only the header is attached", async (_, content) => {
  const { record } = await aLeasedMessage({ to: ["a@x.test"], content });
  await record(REFUSED);

  const { raw } = await theReport();
  expect(raw.includes("text/rfc822-headers")).toBe(true);
  expect(raw.includes("line")).toBe(false);
  expect(raw.toString("latin1")).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
});

test("sends a bounce message even if the original message is no longer stored", async () => {
  const { id, record } = await aLeasedMessage({ to: ["a@x.test"] });
  await db().delete(messageContents).where(eq(messageContents.messageId, id));
  await record(REFUSED);

  expect(await reports()).toHaveLength(1);
});

test("a server's reply can't change the header or structure of a bounce message", async () => {
  const evil = `550 5.7.1 no\r\n\r\n--=_x\r\nContent-Type: text/html\r\n\r\n<b>\u0000 ü \u202e ${"w".repeat(3000)}`;
  const { record } = await aLeasedMessage({
    to: ["a@x.test"],
    subject: "x\r\nBcc: victim@y.test\r\n\r\nbody",
    messageId: "<a@b>\r\nBcc: victim@y.test",
  });
  await record({ ...REFUSED, message: evil });

  const { mail, raw, parts, status } = await theReport();
  expect(mail.headers.has("bcc")).toBe(false);
  expect(mail.headers.has("in-reply-to")).toBe(false);
  expect(mail.html).toBe(false);
  expect([...parts.keys()]).toEqual(["message/delivery-status", "message/rfc822"]);
  expect(status.match(/^\S+:/gm)).toEqual([
    "Reporting-MTA:",
    "Arrival-Date:",
    "Final-Recipient:",
    "Action:",
    "Status:",
    "Diagnostic-Code:",
    "Last-Attempt-Date:",
  ]);
  expect(
    Math.max(
      ...raw
        .toString()
        .split("\r\n")
        .map((line) => line.length),
    ),
  ).toBeLessThan(998);
});

test.each<[string, Partial<LeasedMessage>]>([
  ["without a return path", { sender: "" }],
  ["of a sender who may be forged", { isSenderTold: false, origin: "incoming" }],
  ["that is a report", { origin: "report" }],
  ["to a recipient with NOTIFY=NEVER", { to: [{ address: "a@x.test", notify: ["never"] }] }],
  ["with NOTIFY=DELAY", { to: [{ address: "a@x.test", notify: ["delay"] }] }],
])("does not report the failure of a message %s", async (_, given) => {
  const { id, record } = await aLeasedMessage({ to: ["a@x.test"], ...given });
  await record(REFUSED);

  expect((await recipientsOf(id))[0]).toMatchObject({ state: "bounced" });
  expect(await db().$count(messages)).toBe(1);
});

test.each([
  ["long", `${"x".repeat(100)}=y.test@relay.test`],
  ["case-sensitive", "Return-AbC@there.test"],
])("a report to a %s return path keeps it as written", async (_, sender) => {
  const { record } = await aLeasedMessage({ to: ["a@x.test"], sender, origin: "incoming" });
  await record(REFUSED);
  const { recipient, mail } = await theReport();
  expect(recipient).toBe(sender);
  expect(mail.to).toMatchObject({ text: sender });
});

test.each<[string, Partial<LeasedMessage>]>([
  ["a message", {}],
  ["a failure report", { isSenderTold: false }],
  ["an automatic reply", { content: "Auto-Submitted: auto-replied\r\n\r\nHello\r\n" }],
  ["a message with bare line feeds", { content: "Subject: x\r\n\r\nHel\nlo\r\nHello\r\n" }],
  ["a large message", { content: `Subject: x\r\n\r\n${"x\r\n".repeat(200_000)}Hello\r\n` }],
])("returns %s that could not be forwarded with the whole message", async (_, given) => {
  const { record } = await aLeasedMessage({ to: ["a@x.test"], origin: "forward", ...given });
  await record(REFUSED);

  const { text, recipient, raw, mail } = await theReport();
  expect(recipient).toBe(ANN);
  expect(text).toContain("A message forwarded from your mailbox could not be delivered");
  expect(text).toContain("The original message is attached.");
  expect(mail.headers.get("x-posthouse-returned")).toBe("yes");
  expect(raw.toString()).toMatch(/\r\nHello\r\n\r\n--/);
});

test("NOTIFY=SUCCESS sends nothing when the other server took over the notifications", async () => {
  const { record } = await aLeasedMessage({
    to: [{ address: "a@x.test", notify: ["success", "failure"] }],
  });
  await record({ delivery: "transferred" });
  expect(await reports()).toEqual([]);
});

test.each([
  ["relayed", "The other server accepted it."],
  ["delivered", "It was delivered to the mailbox."],
  ["expanded", "It was sent to the members"],
] as const)(
  "NOTIFY=SUCCESS sends a notification when the message is %s; other senders get none",
  async (delivery, words) => {
    const { record } = await aLeasedMessage({
      to: [{ address: "a@x.test", notify: ["success", "failure"] }, "b@x.test"],
    });
    await record({ delivery }, { delivery });

    const { text, status, raw } = await theReport();
    expect(status).toContain(`Action: ${delivery}\r\nStatus: 2.0.0\r\n`);
    expect(status).not.toContain("b@x.test");
    expect(text).toContain(words);
    expect(raw.includes("Hello")).toBe(false);
    expect(await readIncoming(raw)).toEqual({
      kind: "bounce",
      bounce: { failures: [], trace: [] },
    });
  },
);

test("a delay is reported once, after four hours", async () => {
  const { id, record } = await aLeasedMessage({ to: ["a@x.test", "b@x.test"] });
  await backdate(id, sql`interval '3 hours 59 minutes'`);
  await record({ ...BUSY, attempt: 5 }, {});
  expect(await reports()).toEqual([]);
  const wait = Date.parse((await recipientsOf(id))[0]!.nextAttemptAt) - Date.now();
  expect(wait).toBeLessThan(61_000);

  const again = async () => {
    await db().execute(sql`update message_recipients set next_attempt_at = clock_timestamp()`);
    await (await leaseMessage(id)).record(BUSY);
  };
  await backdate(id, sql`interval '4 hours 1 minute'`);
  await again();
  await again();

  const report = await theReport();
  expect(report.mail.subject).toBe("Not delivered yet: a@x.test");
  expect(report.status).toMatch(/Action: delayed\r\nStatus: 4.2.1\r\n(.*\r\n)*Will-Retry-Until: /);
  const [, until] = /Will-Retry-Until: (.*)\r/.exec(report.status)!;
  const hours =
    (Date.parse(until!) - Date.parse((await recipientsOf(id))[0]!.createdAt)) / 3_600_000;
  expect(hours).toBeCloseTo(120, 1);
  expect(report.text.replace(/\s+/g, " ")).toContain(`keeps retrying until ${until}`);
});

test.each<[string, Partial<LeasedMessage>, number]>([
  ["of a forward", { origin: "forward" }, 0],
  [
    "of a forward with NOTIFY=DELAY",
    { origin: "forward", to: [{ address: "a@x.test", notify: ["delay"] }] },
    1,
  ],
  ["with NOTIFY=FAILURE", { to: [{ address: "a@x.test", notify: ["failure"] }] }, 0],
])("a delay %s is reported %s times", async (_, given, count) => {
  const { id, record } = await aLeasedMessage({ to: ["a@x.test"], ...given });
  await backdate(id, sql`interval '5 hours'`);
  await record(BUSY);

  expect(await reports()).toHaveLength(count);
});

test("gives up after five days, and the bounce message says so", async () => {
  const { id, record } = await aLeasedMessage({ to: ["a@x.test"] });
  await backdate(id, sql`interval '120 hours 1 minute'`);
  await record(BUSY);

  expect((await recipientsOf(id))[0]).toMatchObject({ state: "bounced", dsn: "4.2.1" });
  const { text, status } = await theReport();
  expect(text).toContain("The other server did not accept the message in time.");
  expect(status).toContain("Action: failed\r\nStatus: 5.4.7\r\n");
});
