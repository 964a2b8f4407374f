import { randomUUID } from "node:crypto";

import { asc, eq } from "drizzle-orm";
import { type CreateEmailOptions, Resend } from "resend";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { emailAttachments } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anApiKey, aDomain, aSuppression } from "#server/testing/factories.ts";
import { send as sendRaw } from "#server/testing/http-client.ts";
import { aReceivedEmail } from "#server/testing/received-emails.ts";
import { startWebProcess, type WebProcess } from "#server/testing/web-process.ts";

// What existing programs send: the Node SDK against the running service, and raw requests as other Resend SDKs
// send them.

let web: WebProcess;
let posthouse: Resend;
let key: string;
let companyId: string;
let email: CreateEmailOptions & { from: string; to: string; subject: string; text: string };
let domainId: string;

/** Includes time for a production build. */
const BUILD_TIMEOUT_MS = 400_000;

beforeAll(async () => {
  companyId = (await aCompany()).id;
  key = (await anApiKey(companyId)).token;
  const domain = await aDomain(companyId);
  domainId = domain.id;
  email = { from: `Ann <a@${domain.name}>`, to: "b@example.org", subject: "Hello", text: "Hi" };
  web = await startWebProcess();
  posthouse = new Resend(key, { baseUrl: `http://127.0.0.1:${web.port}` });
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await web.stop();
});

/** Returns the data of an SDK response; throws on an error. */
function dataOf<T>({ data, error }: { data: T | null; error: unknown }): T {
  expect(error).toBeNull();
  return data!;
}

const send = async (fields: object = {}) =>
  dataOf(await posthouse.emails.send({ ...email, ...fields })).id;
const schedule = () => send({ scheduledAt: "in 1 hour" });
const raw = (method: string, path: string, body?: unknown) => {
  const bytes = body === undefined ? "" : JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": `${bytes.length}` };
  return sendRaw(web.port, method, path, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: bytes,
  });
};
const attachmentsOf = (id: string) =>
  db()
    .select()
    .from(emailAttachments)
    .where(eq(emailAttachments.emailId, id))
    .orderBy(asc(emailAttachments.position));

describe("emails of the Node SDK", () => {
  test("send and get", async () => {
    const id = await send({ replyTo: "r@example.org", tags: [{ name: "a", value: "b" }] });

    expect(dataOf(await posthouse.emails.get(id))).toMatchObject({
      object: "email",
      id,
      from: email.from,
      to: ["b@example.org"],
      reply_to: ["r@example.org"],
      tags: [{ name: "a", value: "b" }],
      last_event: "sent",
    });
  });

  test("send with an idempotency key sends once", async () => {
    const idempotencyKey = randomUUID();
    const first = await posthouse.emails.send(email, { idempotencyKey });
    const again = await posthouse.emails.send(email, { idempotencyKey });

    expect(dataOf(again)).toEqual(dataOf(first));
    expect(again.headers?.["idempotent-replayed"]).toBe("true");
    const other = await posthouse.emails.send({ ...email, subject: "Other" }, { idempotencyKey });
    expect(other.error).toMatchObject({ statusCode: 409, name: "invalid_idempotent_request" });
  });

  test("send with files as Buffer, base64 and content id", async () => {
    const id = await send({
      attachments: [
        { filename: "a.txt", content: Buffer.from("first") },
        { filename: "b.txt", content: Buffer.from("second").toString("base64") },
        {
          filename: "c.png",
          content: Buffer.from("third"),
          contentId: "c",
          contentType: "image/png",
        },
      ],
    });

    expect(
      (await attachmentsOf(id)).map(({ filename, contentId, contentType, content }) => ({
        filename,
        contentId,
        contentType,
        content: content.toString(),
      })),
    ).toEqual([
      { filename: "a.txt", contentId: null, contentType: null, content: "first" },
      { filename: "b.txt", contentId: null, contentType: null, content: "second" },
      { filename: "c.png", contentId: "c", contentType: "image/png", content: "third" },
    ]);
    const { attachments } = posthouse.emails;
    const [, second] = dataOf(await attachments.list({ emailId: id, limit: 2 })).data;
    expect(second).toMatchObject({ filename: "b.txt", content_type: "text/plain", size: 6 });
    const file = dataOf(await attachments.get({ emailId: id, id: second!.id }));
    const { text } = await sendRaw(web.port, "GET", new URL(file.download_url).pathname);
    expect(text).toBe("second");
  });

  const aReceiver = () => ({ companyId, name: email.from.slice(email.from.indexOf("@") + 1, -1) });

  test("forward received emails, as they are and as an attachment", async () => {
    const base64 = "Content-Transfer-Encoding: base64";
    const message = [
      "From: Ben <ben@example.org>",
      "To: in@shop.example",
      "Subject: Photo of the shop",
      "MIME-Version: 1.0",
      "Content-Type: multipart/related; boundary=b",
      "",
      "--b",
      "Content-Type: text/html",
      "",
      '<p>Hi</p><img src="cid:p1_2@x.test">',
      "--b",
      "Content-Type: image/png",
      "Content-ID: <p1_2@x.test>",
      base64,
      "",
      "UE5H",
      "--b",
      "Content-Type: text/csv",
      "Content-Disposition: attachment",
      base64,
      "",
      "MSwy",
      "--b--",
      "",
    ].join("\r\n");
    const emailId = await aReceivedEmail(aReceiver(), { message });
    const { receiving } = posthouse.emails;
    const addresses = { emailId, to: "c@example.org", from: email.from };
    const as = dataOf(await receiving.forward(addresses));
    const sent = dataOf(await posthouse.emails.get(as.id));
    expect([sent.subject, sent.html]).toEqual(["Photo of the shop", expect.stringMatching("Hi")]);
    const files = await attachmentsOf(as.id);
    expect(files.map(({ content }) => content.toString())).toEqual(["PNG", "1,2"]);
    expect(files[0]!.contentId).toBe("p1_2@x.test");
    const asFile = { ...addresses, passthrough: false, text: "Look" } as const;
    const wrapped = dataOf(await receiving.forward(asFile));
    const { subject, text } = dataOf(await posthouse.emails.get(wrapped.id));
    expect([subject, text]).toEqual(["Fwd: Photo of the shop", "Look"]);
    const [file] = await attachmentsOf(wrapped.id);
    expect(file!.content.toString()).toContain(message);
    const { error } = await receiving.forward({ ...addresses, emailId: randomUUID() });
    expect(error?.name).toBe("not_found");
  });

  test("read and download received emails", async () => {
    const id = await aReceivedEmail(aReceiver());
    const { receiving } = posthouse.emails;

    expect(dataOf(await receiving.list({ limit: 1 }))).toMatchObject({ data: [{ id }] });
    const received = dataOf(await receiving.get(id, { html_format: "cid" }));
    expect(received).toMatchObject({ object: "email", id, subject: "Photo", text: "Hi" });
    const [file] = dataOf(await receiving.attachments.list({ emailId: id })).data;
    expect(file).toMatchObject({ filename: "a.csv", content_type: "text/csv", size: 3 });
    const again = dataOf(await receiving.attachments.get({ emailId: id, id: file!.id }));
    for (const [url, content] of [
      [again.download_url, "1,2"],
      [received.raw!.download_url, expect.stringContaining("Subject: Photo") as string],
    ] as const)
      expect((await sendRaw(web.port, "GET", new URL(url).pathname)).text).toEqual(content);
  });

  test("list, with limit and cursors", async () => {
    const ids = [await send(), await send(), await send()].toReversed();

    const first = dataOf(await posthouse.emails.list({ limit: 2 }));
    expect(first).toMatchObject({ object: "list", has_more: true });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const next = dataOf(await posthouse.emails.list({ limit: 1, after: ids[1]! }));
    expect(next.data.map(({ id }) => id)).toEqual(ids.slice(2));
    const before = dataOf(await posthouse.emails.list({ limit: 1, before: ids[2]! }));
    expect(before.data.map(({ id }) => id)).toEqual([ids[1]]);
  });

  test("update moves a scheduled email", async () => {
    const id = await schedule();
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();

    expect(dataOf(await posthouse.emails.update({ id, scheduledAt }))).toEqual({
      object: "email",
      id,
    });
    const read = dataOf(await posthouse.emails.get(id));
    expect(Date.parse(read.scheduled_at!)).toBe(Date.parse(scheduledAt));
  });

  test("cancel, which sends no body", async () => {
    const id = await schedule();

    expect(dataOf(await posthouse.emails.cancel(id))).toEqual({ object: "email", id });
    expect(dataOf(await posthouse.emails.get(id)).last_event).toBe("canceled");
    expect((await posthouse.emails.cancel(id)).error).toMatchObject({
      statusCode: 422,
      name: "validation_error",
    });
  });

  test("metrics", async () => {
    await send();

    const metrics = await posthouse.emails.metrics({
      metrics: ["sent", "delivery_rate"],
      dimensions: ["domain"],
      domainId: [domainId],
    });
    expect(dataOf(metrics)).toMatchObject({
      object: "metrics",
      totals: { sent: expect.any(Number) as number, delivery_rate: 0 },
      data: [{ domain_id: domainId }],
    });
  });

  test("returns errors unchanged", async () => {
    expect(await posthouse.emails.send({ ...email, to: "nobody" })).toMatchObject({
      data: null,
      error: { statusCode: 422, name: "validation_error" },
    });
    expect((await posthouse.emails.get(randomUUID())).error).toMatchObject({
      name: "not_found",
      message: "Email not found",
    });
  });

  test("the history of an email, which the SDK has no method for", async () => {
    const id = await send();

    const events = await posthouse.get<{ data: { type: string }[] }>(`/emails/${id}/events`);
    expect(dataOf(events).data).toMatchObject([{ type: "email.sent" }]);
  });
});

describe("batch of the Node SDK", () => {
  const wrong = () => ({ ...email, to: "nobody" });

  test("send in strict mode accepts all or none", async () => {
    expect(dataOf(await posthouse.batch.send([email, email])).data).toHaveLength(2);
    const { error } = await posthouse.batch.send([email, wrong()]);
    expect(error).toMatchObject({ statusCode: 422 });
    expect(error?.message).toMatch(/^Email at index 1: /);
  });

  test("send in permissive mode lists the errors", async () => {
    const sent = await posthouse.batch.send([wrong(), email], { batchValidation: "permissive" });

    expect(dataOf(sent)).toMatchObject({
      data: [{ id: expect.any(String) as string }],
      errors: [{ index: 0, message: expect.any(String) as string }],
    });
  });

  test("send with an idempotency key sends once", async () => {
    const idempotencyKey = randomUUID();
    const first = await posthouse.batch.send([email, email], { idempotencyKey });
    const again = await posthouse.batch.send([email, email], { idempotencyKey });

    expect(dataOf(again)).toEqual(dataOf(first));
    expect(again.headers?.["idempotent-replayed"]).toBe("true");
  });
});

test("apiKeys create, list, update and remove", async () => {
  const { id, token } = dataOf(
    await posthouse.apiKeys.create({
      name: "Shop",
      permission: "sending_access",
      domain_id: domainId,
    }),
  );
  const shop = new Resend(token, { baseUrl: `http://127.0.0.1:${web.port}` });
  expect((await shop.emails.send(email)).error).toBeNull();
  expect((await shop.emails.list()).error).toMatchObject({ name: "restricted_api_key" });

  expect(dataOf(await posthouse.apiKeys.update(id, { name: "Orders" }))).toMatchObject({ id });
  const listed = dataOf(await posthouse.apiKeys.list());
  expect(listed.data.find((item) => item.id === id)).toMatchObject({ name: "Orders" });

  expect(dataOf(await posthouse.apiKeys.remove(id))).toMatchObject({ id, deleted: true });
  expect((await shop.emails.send(email)).error).toMatchObject({ name: "invalid_api_key" });
});

test("logs list and get", async () => {
  await send();
  const newest = async () => dataOf(await posthouse.logs.list({ limit: 100 })).data;
  await expect
    .poll(async () => (await newest()).some(({ method }) => method === "POST"))
    .toBe(true);

  const sent = (await newest()).find(({ method }) => method === "POST")!;
  expect(sent).toMatchObject({
    response_status: expect.any(Number) as number,
    user_agent: expect.stringMatching(/^resend-node:/) as string,
  });
  expect(dataOf(await posthouse.logs.get(sent.id))).toMatchObject({ object: "log", ...sent });
});

describe("suppressions of the Node SDK", () => {
  test("add, get, list and remove, by id and by address", async () => {
    const { id } = dataOf(await posthouse.suppressions.add({ email: "Gone@Example.org" }));
    await aSuppression(companyId, { origin: "bounce" });

    for (const name of [id, "gone@example.org"])
      expect(dataOf(await posthouse.suppressions.get(name))).toMatchObject({
        object: "suppression",
        id,
        email: "gone@example.org",
        origin: "manual",
        source_id: null,
      });
    const listed = dataOf(await posthouse.suppressions.list({ origin: "manual", limit: 100 }));
    expect(listed.data.map((item) => item.id)).toEqual([id]);
    expect(dataOf(await posthouse.suppressions.remove("gone@example.org"))).toEqual({
      object: "suppression",
      id,
      deleted: true,
    });
    expect((await posthouse.suppressions.get(id)).error).toMatchObject({ name: "not_found" });
  });

  test("batch.add and batch.remove", async () => {
    const addresses = ["one@example.org", "two@example.org"];

    const added = dataOf(await posthouse.suppressions.batch.add({ emails: addresses })).data;
    expect(added).toMatchObject([{ object: "suppression" }, { object: "suppression" }]);
    const ids = added.map(({ id }) => id);
    expect(dataOf(await posthouse.suppressions.batch.remove({ ids: [ids[0]!] })).data).toEqual([
      { object: "suppression", id: ids[0], deleted: true },
    ]);
    expect(
      dataOf(await posthouse.suppressions.batch.remove({ emails: addresses })).data,
    ).toMatchObject([{ id: ids[1] }]);
  });

  test("an address in the path with an unencoded @, and a reserved word with a wrong method", async () => {
    await posthouse.suppressions.add({ email: "raw@example.org" });

    expect((await raw("GET", "/suppressions/RAW@example.org")).status).toBe(200);
    expect((await raw("GET", "/suppressions/raw%40example.org")).status).toBe(200);
    const wrong = await raw("GET", "/suppressions/batch/add");
    expect([wrong.status, wrong.headers.allow]).toEqual([405, "POST"]);
    expect((await raw("GET", "/suppressions/batch")).status).toBe(404);
  });
});

describe("requests of other SDKs", () => {
  const bytes = [...Buffer.from("as bytes")];

  test.each([
    ["a list of bytes", bytes],
    ["a Buffer serialized as JSON", { type: "Buffer", data: bytes }],
    ["base64", Buffer.from("as bytes").toString("base64")],
  ])("a file as %s", async (_, content) => {
    const body = { ...email, attachments: [{ filename: "a.txt", content }] };

    const answer = await raw("POST", "/emails", body);
    expect(answer).toMatchObject({ status: 200 });
    const { id } = JSON.parse(answer.text) as { id: string };
    expect((await attachmentsOf(id))[0]!.content.toString()).toBe("as bytes");
  });

  test.each([
    ["empty strings", { cc: "", bcc: "", reply_to: "", html: "" }],
    ["empty lists", { cc: [], bcc: [], reply_to: [], tags: [], headers: [], attachments: [] }],
    ["null", { cc: null, bcc: null, reply_to: null, html: null, tags: null, headers: null }],
    ["an empty object and an empty timestamp", { headers: {}, scheduled_at: "" }],
    ["unknown fields", { tracking: true, metadata: { a: 1 } }],
  ])("accepts and ignores %s", async (_, fields) => {
    expect(await raw("POST", "/emails", { ...email, ...fields })).toMatchObject({ status: 200 });
  });

  test("a body of {} with GET and DELETE", async () => {
    const { id } = dataOf(await posthouse.suppressions.add({ email: "body@example.org" }));

    expect((await raw("GET", "/emails?limit=1", {})).status).toBe(200);
    expect((await raw("DELETE", `/suppressions/${id}`, {})).status).toBe(200);
  });

  test("a POST with a JSON type and no body", async () => {
    const answer = await raw("POST", `/emails/${await schedule()}/cancel`);
    expect(answer.status).toBe(200);
  });

  test.each(["//emails", "/emails/", "//emails//"])("the path %s", async (path) => {
    expect((await raw("GET", `${path}?limit=1`)).status).toBe(200);
    expect((await raw("POST", path, email)).status).toBe(200);
  });

  test("a base URL with a trailing slash", async () => {
    const careless = new Resend(key, { baseUrl: `http://127.0.0.1:${web.port}/` });

    expect((await careless.emails.send(email)).error).toBeNull();
  });
});
