import { and, eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import {
  receivedAttachments,
  receivedContents,
  receivedEmails,
  webhookEvents,
} from "#drizzle/schema/index.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aContext, aWebhook } from "#server/testing/factories.ts";
import { aQueuedEmail, aSender, historyOf, type Sender } from "#server/testing/queued-emails.ts";

import { deleteOldReceived, getReceived, listReceived } from "./received-emails.ts";
import { parseReceived } from "./parse-received.ts";
import { receiveEmail } from "./receive-email.ts";

let sender: Sender;
let ctx: Context;
let webhookId: string;
beforeEach(async () => {
  sender = await aSender();
  ctx = aContext(sender.companyId);
  webhookId = (await aWebhook(sender.companyId)).id;
});

const FIRST_PAGE = { limit: 10, after: null, before: null };
const idOf = async () =>
  (
    await db()
      .select({ id: receivedEmails.id })
      .from(receivedEmails)
      .where(eq(receivedEmails.companyId, sender.companyId))
  ).at(-1)!.id;

const events = async (type: string) =>
  (
    await db()
      .select({ payload: webhookEvents.payload })
      .from(webhookEvents)
      .where(and(eq(webhookEvents.webhookId, webhookId), eq(webhookEvents.type, type)))
  ).map(({ payload }) => payload);

type Given = { key?: string; isChecked?: boolean; repeatsForMs?: number | null };

async function receive(
  content: string,
  { key = content, isChecked = true, repeatsForMs = null }: Given = {},
) {
  const receivedFor = [`in@${sender.name}`];
  const arrival = { key, companyId: sender.companyId, receivedFor, repeatsForMs };
  const bytes = Buffer.from(content.replaceAll("\n", "\r\n"), "latin1");
  expect(
    await receiveEmail(db(), {
      ...arrival,
      sender: "ben@example.org",
      message: new Message(bytes),
      isChecked,
    }),
  ).toBeNull();
  return idOf();
}

const TRACES = `Authentication-Results: mail.here.test;
	spf=softfail smtp.mailfrom=example.org;
	dkim=fail header.d=other.example; dkim=pass header.d=example.org;
	dmarc=pass (p=none) header.from=example.org;
	arc=none
X-Posthouse-Junk: yes
X-Posthouse-Spam: 7.25
	BAYES_SPAM
`;

const MESSAGE = `From: Ben <ben@example.org>
To: in@shop.example
Subject: Photo
Message-ID: <p@example.org>
MIME-Version: 1.0
Content-Type: multipart/related; boundary=b

--b
Content-Type: text/html

<img src="cid:logo%40x"><img src="cid:other">
--b
Content-Type: image/png
Content-ID: <logo@x>
Content-Disposition: inline; filename=logo.png
Content-Transfer-Encoding: base64

AAAA
--b--
`;

describe("parsing", () => {
  test("shows the email and publishes email.received once, without bodies", async () => {
    const id = await receive(TRACES + MESSAGE);
    expect((await listReceived(ctx, FIRST_PAGE)).rows).toEqual([]);
    await Promise.all([parseReceived(db(), id), parseReceived(db(), id)]);
    await parseReceived(db(), id);

    const [payload, ...more] = await events("email.received");
    expect(more).toEqual([]);
    expect(payload).toMatchObject({
      type: "email.received",
      data: {
        email_id: id,
        from: "Ben <ben@example.org>",
        to: ["in@shop.example"],
        cc: [],
        bcc: [],
        received_for: [`in@${sender.name}`],
        message_id: "<p@example.org>",
        subject: "Photo",
        attachments: [
          {
            id: expect.any(String) as string,
            filename: "logo.png",
            content_type: "image/png",
            content_disposition: "inline",
            content_id: "logo@x",
          },
        ],
        authentication: { spf: "softfail", dkim: "pass", dmarc: "pass" },
        spam: { is_spam: true, score: 7.25 },
        replied_email_id: null,
      },
    });
    expect(JSON.stringify(payload)).not.toContain("<img");
    const { rows } = await listReceived(ctx, FIRST_PAGE);
    expect(rows).toMatchObject([{ id, files: [{ filename: "logo.png", size: 3 }] }]);
    const embedded = await getReceived(ctx, id, { embedsImages: true });
    expect(embedded.html).toContain('<img src="data:image/png;base64,AAAA"><img src="cid:other">');
    const kept = await getReceived(ctx, id, { embedsImages: false });
    expect(kept.html).toContain('<img src="cid:logo%40x">');
  });

  test("file names have no path separators, in the list, in events and in old rows", async () => {
    const written = encodeURIComponent("../../logo\\1.png");
    const path = MESSAGE.replace("filename=logo.png", `filename*=utf-8''${written}`);
    const id = await receive(path);
    await parseReceived(db(), id);
    const filename = ".._.._logo_1.png";
    expect(await events("email.received")).toMatchObject([
      { data: { attachments: [{ filename }] } },
    ]);
    await db().update(receivedAttachments).set({ filename: "../../logo\\1.png" });
    const { rows } = await listReceived(ctx, FIRST_PAGE);
    expect(rows).toMatchObject([{ id, files: [{ filename }] }]);
  });

  test("believes Authentication-Results only of mail that was checked on arrival", async () => {
    await receive(TRACES + MESSAGE, { isChecked: false });
    const [email] = await db()
      .select()
      .from(receivedEmails)
      .where(eq(receivedEmails.companyId, sender.companyId));
    expect(email).toMatchObject({ spf: null, dkim: null, dmarc: null, isSpam: true });
  });

  test("publishes an email with too many attachments, and says what is left out", async () => {
    const parts = "--b\n\nHello\n" + "--b\nContent-Type: image/png\n\nx\n".repeat(130);
    const id = await receive(`${MESSAGE.slice(0, MESSAGE.indexOf("--b"))}${parts}--b--\n`);
    await parseReceived(db(), id);
    expect(await getReceived(ctx, id, { embedsImages: true })).toMatchObject({
      subject: "Photo",
      headerFrom: "Ben <ben@example.org>",
      text: "Hello",
      html: null,
      problem: "Only the first 100 of 130 attachments are shown",
      files: { length: 100, 0: { isInline: null } },
    });
    expect(await events("email.received")).toHaveLength(1);
  });

  test("a webhook event has at most 256 KB", async () => {
    const name = "%E6%BC%A2".repeat(250);
    const file = `--b\nContent-Type: a/b\nContent-ID: <${"x".repeat(240)}>\nContent-Disposition: attachment; filename*=utf-8''${name}\n\nx\n`;
    const long = Buffer.from("漢".repeat(200)).toString("latin1");
    const all = Array.from({ length: 100 }, (_, i) => `${long}${i}@example.org`).join(",\n ");
    const head = MESSAGE.slice(0, MESSAGE.indexOf("--b")).replace(
      "To: in@shop.example",
      `To: ${all}\nCc: ${all}\nBcc: ${all}`,
    );
    const id = await receive(`${head}${file.repeat(90)}--b--\n`);
    await parseReceived(db(), id);
    const [payload] = await events("email.received");
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(256 * 1024);
    expect(payload!.data).toMatchObject({ email_id: id, subject: "Photo", attachments: [] });
    const email = await getReceived(ctx, id, { embedsImages: true });
    expect([email.files.length, email.cc.length]).toEqual([90, 100]);
  });
});

test("an email whose parsing is retried enters the list before those that clients have seen", async () => {
  const late = await receive(TRACES + MESSAGE);
  const early = await receive(TRACES + MESSAGE.replace("Subject: ", "Subject: Re: "));
  await parseReceived(db(), early);
  const seen = (await listReceived(ctx, FIRST_PAGE)).rows.map(({ id }) => id);
  await parseReceived(db(), late);

  const { rows } = await listReceived(ctx, { ...FIRST_PAGE, before: early });
  expect([seen, rows.map(({ id }) => id)]).toEqual([[early], [late]]);
});

describe("replies", () => {
  const replyTo = (emailId: string, fields = "") =>
    `${fields}In-Reply-To: <${emailId}@${sender.name}>\n${MESSAGE}`;
  const parse = async (content: string, key = content) =>
    parseReceived(db(), await receive(content, { key }));

  test("fire email.replied once with the original's ID, and are in its history", async () => {
    const emailId = await aQueuedEmail(sender, "ben@example.org");
    const before = await historyOf(emailId);
    await parse(replyTo(emailId), "first");
    await parse(replyTo(emailId), "again");

    expect(await historyOf(emailId)).toEqual([...before, "replied ben@example.org"]);
    const [payload, ...more] = await events("email.replied");
    expect(more).toEqual([]);
    expect(payload).toMatchObject({
      type: "email.replied",
      data: {
        email_id: emailId,
        to: ["ben@example.org"],
        reply: {
          from: "Ben <ben@example.org>",
          to: [`in@${sender.name}`],
          subject: "Photo",
          message_id: "<p@example.org>",
          received_email_id: expect.any(String) as string,
        },
      },
    });
    const { rows } = await listReceived(ctx, FIRST_PAGE);
    expect(rows.map(({ repliedEmailId }) => repliedEmailId)).toEqual([emailId, emailId]);
  });

  test("automatic ones are marked and fire nothing", async () => {
    const emailId = await aQueuedEmail(sender, "ben@example.org");
    await parse(replyTo(emailId, "Auto-Submitted: auto-replied\n"));
    expect(await historyOf(emailId)).toContain("auto_replied ben@example.org");
    expect(await events("email.replied")).toEqual([]);
  });

  test("another company's email, and an ID under another domain, aren't found", async () => {
    const other = await aSender();
    const theirs = await aQueuedEmail(other, "ben@example.org");
    const own = await aQueuedEmail(sender, "ben@example.org");
    await parse(replyTo(theirs).replace(`@${sender.name}>`, `@${other.name}>`));
    await parse(replyTo(own).replace(`@${sender.name}>`, "@other.example>"));
    expect(await events("email.replied")).toEqual([]);
    expect(await historyOf(theirs)).not.toContain("replied ben@example.org");
    expect(await historyOf(own)).not.toContain("replied ben@example.org");
  });
});

describe("identical messages", () => {
  const WINDOW = 600_000;
  const again = () => receive(MESSAGE, { repeatsForMs: WINDOW });
  const stored = () => db().$count(receivedEmails, eq(receivedEmails.companyId, sender.companyId));
  afterEach(() => vi.useRealTimers());

  test("are a repeated delivery within the window only", async () => {
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    await again();
    await again();
    vi.setSystemTime(start + WINDOW);
    await again();
    expect(await stored()).toBe(1);
    await db()
      .update(receivedEmails)
      .set({ createdAt: new Date(start - WINDOW - 1_000).toISOString() })
      .where(eq(receivedEmails.companyId, sender.companyId));
    await Promise.all([again(), again()]);
    await again();
    expect(await stored()).toBe(2);
  });
});

test("retention deletes the email, its message and its files", async () => {
  const id = await receive(MESSAGE);
  await parseReceived(db(), id);
  const age = (days: number) =>
    db()
      .update(receivedEmails)
      .set({ createdAt: new Date(Date.now() - days * 86_400_000).toISOString() })
      .where(eq(receivedEmails.id, id));
  await age(29.9);
  await deleteOldReceived(db(), 30);
  expect((await listReceived(ctx, FIRST_PAGE)).rows).toHaveLength(1);
  await age(30.1);
  await deleteOldReceived(db(), 30);
  for (const table of [receivedContents, receivedAttachments])
    expect(await db().$count(table, eq(table.emailId, id))).toBe(0);
  expect((await listReceived(ctx, FIRST_PAGE)).rows).toEqual([]);
});
