import { eq } from "drizzle-orm";
import { createTransport } from "nodemailer";
import { expect, test } from "vitest";

import { emailAttachments, emailBodies, emails } from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { emailAttachmentsApi } from "#server/resources/emails/attachments.ts";
import { db } from "#server/db/pool.ts";

import { aMailboxSender, submissionListeners } from "./a-submission-listener.ts";
import { call } from "./call.ts";
import { anApiKey } from "./factories.ts";

const aListener = submissionListeners();

test("a message sent with an API key is an email in the API, with its events", async () => {
  const ann = await aMailboxSender();
  const { token, id: keyId } = await anApiKey(ann.companyId);
  const from = `post@${ann.domain.name}`;
  const { port } = await aListener({ isImplicitTls: true });
  const app = createTransport({
    host: "127.0.0.1",
    port,
    secure: true,
    auth: { user: "posthouse", pass: token },
    tls: { rejectUnauthorized: false },
  });
  const { response: reply } = await app.sendMail({
    from: { name: 'Müller, "Ann"', address: from },
    to: [{ name: "Bob Ö", address: "Bob@Elsewhere.test" }, "carl@elsewhere.test"],
    cc: "dora@elsewhere.test",
    bcc: "eve@elsewhere.test",
    replyTo: ["x@here.test", "y@here.test"],
    subject: "Grüße aus Köln",
    text: "Hällo\n",
    html: '<p>Hällo <img src="cid:logo@here"></p>',
    headers: {
      "X-Order": "Größe 1",
      "In-Reply-To": "<a@b>",
      "List-Unsubscribe": "<mailto:u@here.test>",
    },
    attachments: [
      { filename: "Übersicht.pdf", content: "PDF", contentType: "application/pdf" },
      { filename: "logo.png", content: "PNG", cid: "logo@here" },
    ],
  });

  expect(reply).toMatch(/^250 2\.0\.0 Queued as email [0-9a-f-]{36}$/);
  const id = reply.split(" ").at(-1)!;
  const read = await call(emailsApi.get, { key: token, params: { id } });
  expect(read.body).toMatchObject({
    from: `"Müller, \\"Ann\\"" <${from}>`,
    subject: "Grüße aus Köln",
    last_event: "sent",
    to: ["bob@elsewhere.test", "carl@elsewhere.test"],
    cc: ["dora@elsewhere.test"],
    bcc: ["eve@elsewhere.test"],
    reply_to: ["x@here.test", "y@here.test"],
    text: "Hällo\n",
    html: '<p>Hällo <img src="cid:logo@here"></p>',
  });
  const events = await call(emailsApi.listEvents, { key: token, params: { id } });
  expect(events.body).toMatchObject({ data: [{ type: "email.sent", recipient: null }] });
  const [email] = await db().select().from(emails).where(eq(emails.id, id));
  expect(email).toMatchObject({ apiKeyId: keyId, companyId: ann.companyId });
  const [body] = await db().select().from(emailBodies).where(eq(emailBodies.emailId, id));
  expect(body!.addressHeaders.to[0]).toMatchObject({
    address: "bob@elsewhere.test",
    written: "Bob@elsewhere.test",
  });
  expect(body!.headers).toEqual({
    "X-Order": "Größe 1",
    "In-Reply-To": "<a@b>",
    "List-Unsubscribe": "<mailto:u@here.test>",
  });
  const files = await db().select().from(emailAttachments).where(eq(emailAttachments.emailId, id));
  expect(
    files.map((file) => [file.filename, file.contentType, file.contentId, file.content.toString()]),
  ).toEqual([
    ["logo.png", "image/png", "logo@here", "PNG"],
    ["Übersicht.pdf", "application/pdf", null, "PDF"],
  ]);
  const { body: listed } = await call(emailAttachmentsApi.list, { key: token, params: { id } });
  const { data } = listed as { data: { id: string }[] };
  expect(data).toMatchObject([
    { filename: "logo.png", content_disposition: "inline", content_id: "logo@here", size: 3 },
    { filename: "Übersicht.pdf", content_disposition: "attachment", size: 3 },
  ]);
  const params = { id, attachment_id: data[1]!.id };
  expect(await call(emailAttachmentsApi.get, { key: token, params })).toMatchObject({
    status: 200,
    body: { object: "attachment", filename: "Übersicht.pdf" },
  });
});
