import { beforeAll, expect, test } from "vitest";

import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import { anApiKey } from "#server/testing/factories.ts";
import { aSender, type Sender } from "#server/testing/queued-emails.ts";
import { aReceivedEmail } from "#server/testing/received-emails.ts";

import { receivedApi } from "./api.ts";

let sender: Sender;
let key: string;
let ids: string[];
beforeAll(async () => {
  sender = await aSender();
  key = (await anApiKey(sender.companyId)).token;
  ids = [await aReceivedEmail(sender), await aReceivedEmail(sender)];
});

type List = { has_more: boolean; data: { id: string }[] };

const get = async (endpoint: AnyEndpoint, params = {}, query = {}) => {
  const { status, body } = await call(endpoint, { key, params, query });
  expect([status, body]).toEqual([200, body]);
  return body;
};

test("lists received emails, newest first, page by page", async () => {
  const [oldest, newest] = ids as [string, string];
  const page = async (query: object) => (await get(receivedApi.list, {}, query)) as List;
  expect(await page({})).toMatchObject({ has_more: false, data: [{ id: newest }, { id: oldest }] });
  expect(await page({ limit: "1" })).toMatchObject({ has_more: true, data: [{ id: newest }] });
  expect(await page({ after: newest })).toMatchObject({ data: [{ id: oldest }] });
  expect(await page({ before: oldest })).toMatchObject({ data: [{ id: newest }] });
  const theirs = await aReceivedEmail(await aSender());
  expect(await call(receivedApi.list, { key, query: { after: theirs } })).toMatchObject({
    status: 422,
  });
});

test("returns an email with its content and its files", async () => {
  const params = { id: ids[0]! };
  const file = { filename: "a.csv", size: 3, content_type: "text/csv" };
  expect(await get(receivedApi.get, params)).toEqual({
    object: "email",
    id: params.id,
    from: "Ben <ben@example.org>",
    to: ["in@shop.example"],
    created_at: expect.stringMatching(/\+00$/) as string,
    subject: "Photo",
    bcc: null,
    cc: null,
    reply_to: null,
    message_id: "<p@example.org>",
    received_for: [expect.stringContaining(`@${sender.name}`) as string],
    attachments: [
      {
        id: expect.any(String) as string,
        ...file,
        content_id: null,
        content_disposition: "attachment",
      },
    ],
    authentication: { spf: null, dkim: null, dmarc: null },
    spam: { is_spam: false, score: null },
    replied_email_id: null,
    html: null,
    text: "Hi",
    headers: expect.objectContaining({ subject: "Photo" }) as object,
    raw: {
      download_url: expect.stringContaining("/downloads/") as string,
      expires_at: expect.stringMatching(/Z$/) as string,
    },
  });
  const { data } = (await get(receivedApi.listAttachments, params)) as List;
  expect(data).toMatchObject([{ ...file, content_disposition: "attachment" }]);
  const attachment = { ...params, attachment_id: data[0]!.id };
  expect(await get(receivedApi.getAttachment, attachment)).toMatchObject({
    object: "attachment",
    ...data[0],
    download_url: expect.any(String) as string,
    expires_at: expect.any(String) as string,
  });
});

test("doesn't find another company's emails and files", async () => {
  const { data } = (await get(receivedApi.listAttachments, { id: ids[0]! })) as List;
  const params = { id: ids[0]!, attachment_id: data[0]!.id };
  const { token } = await anApiKey((await aSender()).companyId);
  for (const endpoint of [receivedApi.get, receivedApi.listAttachments, receivedApi.getAttachment])
    expect((await call(endpoint, { key: token, params })).status).toBe(404);
  expect((await call(receivedApi.list, { key: token })).body).toMatchObject({ data: [] });
  const other = { ...params, id: ids[1]! };
  expect((await call(receivedApi.getAttachment, { key, params: other })).status).toBe(404);
});

test("rejects an unknown HTML format", async () => {
  const params = { id: ids[0]! };
  expect(await call(receivedApi.get, { key, params, query: { html_format: "x" } })).toMatchObject({
    status: 422,
    body: { message: "html_format: must be data_uri or cid" },
  });
});
