import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { emailBodies } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aDomain } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";
import { emailAttachmentsApi } from "./attachments.ts";

type Listed = { has_more: boolean; data: { id: string; filename: string }[] };

async function aSender() {
  const { id: companyId } = await aCompany();
  const { token: key } = await anApiKey(companyId);
  return { key, domain: (await aDomain(companyId)).name };
}

async function anEmail({ key, domain }: { key: string; domain: string }, attachments: object[]) {
  const text = { subject: "Hello", html: '<img src="cid:logo">' };
  const body = { from: `a@${domain}`, to: "b@example.org", ...text, attachments };
  return ((await call(emailsApi.send, { key, body })).body as { id: string }).id;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const FILES = [
  { filename: "a.pdf", content: base64("first") },
  { filename: "logo.png", content: base64("second"), content_id: "logo" },
  { filename: "c.csv", content: base64("third"), content_type: "text/csv; charset=utf-8" },
  { filename: "invoice.pdf", content: base64("fourth"), content_id: "invoice" },
];

describe("GET /emails/{id}/attachments", () => {
  test("lists them in message order, page by page, and gets each", async () => {
    const sender = await aSender();
    const { key } = sender;
    const params = { id: await anEmail(sender, FILES) };
    const list = async (query = {}) =>
      (await call(emailAttachmentsApi.list, { key, params, query })).body as Listed;

    const { data, has_more } = await list();
    expect([has_more, data]).toEqual([
      false,
      [
        ["a.pdf", 5, "application/pdf", "attachment"],
        ["logo.png", 6, "image/png", "inline"],
        ["c.csv", 5, "text/csv", "attachment"],
        ["invoice.pdf", 6, "application/pdf", "attachment"],
      ].map(([filename, size, content_type, content_disposition]) => ({
        id: expect.any(String) as string,
        filename,
        size,
        content_type,
        content_disposition,
        ...(filename === "logo.png" && { content_id: "logo" }),
        ...(filename === "invoice.pdf" && { content_id: "invoice" }),
        download_url: expect.stringContaining("/downloads/") as string,
        expires_at: expect.stringMatching(/Z$/) as string,
      })),
    ]);
    const [first, second, third, fourth] = data;
    expect(await list({ limit: "1" })).toMatchObject({ has_more: true, data: [{ id: first!.id }] });
    expect(await list({ after: first!.id })).toMatchObject({
      has_more: false,
      data: [{ id: second!.id }, { id: third!.id }, { id: fourth!.id }],
    });
    expect(await list({ before: third!.id, limit: "1" })).toMatchObject({
      has_more: true,
      data: [{ id: second!.id }],
    });
    const unknown = await call(emailAttachmentsApi.list, {
      key,
      params,
      query: { after: params.id },
    });
    expect(unknown).toMatchObject({ status: 422, body: { name: "validation_error" } });
    const one = await call(emailAttachmentsApi.get, {
      key,
      params: { ...params, attachment_id: second!.id },
    });
    expect(one.body).toMatchObject({ object: "attachment", id: second!.id, filename: "logo.png" });
  });

  test("is empty without attachments", async () => {
    const sender = await aSender();
    const id = await anEmail(sender, []);
    const { body } = await call(emailAttachmentsApi.list, { key: sender.key, params: { id } });
    expect(body).toEqual({ object: "list", has_more: false, data: [] });
  });

  test("says so once the content is deleted", async () => {
    const sender = await aSender();
    const { key } = sender;
    const id = await anEmail(sender, FILES);
    const { body } = await call(emailAttachmentsApi.list, { key, params: { id } });
    const attachment_id = (body as Listed).data[0]!.id;
    await db().delete(emailBodies).where(eq(emailBodies.emailId, id));

    const gone = { status: 404, body: { message: expect.stringMatching(/3 days/) as string } };
    expect(await call(emailAttachmentsApi.list, { key, params: { id } })).toMatchObject(gone);
    expect(
      await call(emailAttachmentsApi.get, { key, params: { id, attachment_id } }),
    ).toMatchObject(gone);
  });

  test("doesn't find another company's email, or an attachment of another email", async () => {
    const sender = await aSender();
    const id = await anEmail(sender, FILES);
    const { key } = sender;
    const { body } = await call(emailAttachmentsApi.list, { key, params: { id } });
    const attachment_id = (body as Listed).data[0]!.id;
    const other = await aSender();
    const theirs = await anEmail(other, FILES);

    const answers = [
      await call(emailAttachmentsApi.list, { key: other.key, params: { id } }),
      await call(emailAttachmentsApi.get, { key: other.key, params: { id, attachment_id } }),
      await call(emailAttachmentsApi.get, {
        key: other.key,
        params: { id: theirs, attachment_id },
      }),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toMatchObject([
      [404, { message: "Email not found" }],
      [404, { message: "Email not found" }],
      [404, { message: "Attachment not found" }],
    ]);
  });
});
