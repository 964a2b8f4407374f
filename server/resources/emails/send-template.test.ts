import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { emailBodies, emails } from "#drizzle/schema/index.ts";
import { deleteTemplate, updateTemplate } from "#server/core/sending/templates/templates.ts";
import { db } from "#server/db/pool.ts";
import { anApiSender, emailsOf, withoutRates } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aContext, anApiKey, aDomain, aTemplate } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";

type Sender = Awaited<ReturnType<typeof anApiSender>>;
let sender: Sender;
let email: { from: string; to: string };

beforeAll(withoutRates);
beforeEach(async () => {
  sender = await anApiSender();
  email = { from: sender.email.from, to: "bob@example.org" };
});

const send = (body: object, headers: Record<string, string> = {}) =>
  call(emailsApi.send, { key: sender.key, body, headers });
const ORDER = { ORDER: "7" };
const withTemplate = (id: string, more: object = {}) => ({
  ...email,
  template: { id, variables: ORDER },
  ...more,
});

async function storedBy(answer: { status: number; body: unknown }) {
  expect(answer).toMatchObject({ status: 200 });
  const { id } = answer.body as { id: string };
  const [row] = await db().select().from(emails).where(eq(emails.id, id));
  const [body] = await db().select().from(emailBodies).where(eq(emailBodies.emailId, id));
  return { ...row!, html: body!.html, text: body!.text };
}

describe("an email with a template", () => {
  test("has its final content when it is accepted, by ID and by alias", async () => {
    const { id } = await aTemplate(sender.companyId, { alias: "order", text: "Order {{{ORDER}}}" });
    for (const each of [id, id.toUpperCase(), "order"])
      expect(await storedBy(await send(withTemplate(each)))).toMatchObject({
        subject: "Your order 7",
        html: "<p>Order 7</p>",
        text: "Order 7",
        from: email.from,
      });
  });

  test("uses the published version, not the draft, and keeps its content", async () => {
    const { id } = await aTemplate(sender.companyId);
    await updateTemplate(aContext(sender.companyId), id, { html: "<p>Draft {{{ORDER}}}</p>" });
    const scheduled = await send(withTemplate(id, { scheduled_at: "in 1 hour" }));
    await deleteTemplate(aContext(sender.companyId), id);
    expect(await storedBy(scheduled)).toMatchObject({ html: "<p>Order 7</p>" });
  });

  test("takes sender, subject and Reply-To from the template unless it has its own", async () => {
    const from = `Desk <desk@${sender.domain.name}>`;
    const { id } = await aTemplate(sender.companyId, { from, replyTo: ["Desk <d@b.example>"] });
    const template = { id, variables: ORDER };
    expect(await storedBy(await send({ to: email.to, template }))).toMatchObject({
      from,
      subject: "Your order 7",
      replyTo: ["d@b.example"],
    });
    const own = { subject: "Mine", reply_to: "own@b.example" };
    expect(await storedBy(await send(withTemplate(id, own)))).toMatchObject({
      from: email.from,
      subject: "Mine",
      replyTo: ["own@b.example"],
    });
    expect(
      await storedBy(await send({ to: email.to, from: "", subject: "", template })),
    ).toMatchObject({
      from,
      subject: "Your order 7",
    });
  });

  test("inserts values into HTML as they are", async () => {
    const { id } = await aTemplate(sender.companyId);
    const variables = { ORDER: "<b>7</b>" };
    expect(
      await storedBy(await send({ ...email, subject: "A", template: { id, variables } })),
    ).toMatchObject({ html: "<p>Order <b>7</b></p>" });
  });

  test.each<[string, object, object, string]>([
    [
      "a missing value",
      { template: { id: "order" } },
      {},
      "template: variable 'ORDER' has no fallback value",
    ],
    [
      "a line break in the subject",
      { template: { id: "order", variables: { ORDER: "7\r\nBcc: eve@b.example" } } },
      {},
      "subject: must be a single line",
    ],
    [
      "a subject that becomes empty",
      { template: { id: "order", variables: { ORDER: " " } } },
      { subject: "{{{ORDER}}}" },
      "subject: must not be empty",
    ],
    [
      "a subject that becomes too long",
      { template: { id: "order", variables: { ORDER: "x".repeat(999) } } },
      {},
      "subject: must be at most 998",
    ],
    ["no subject at all", {}, { subject: null }, "Missing required field: subject"],
    ["no sender at all", { from: undefined }, {}, "Missing required field: from"],
    [
      "html that becomes too long",
      { subject: "A", template: { id: "order", variables: { ORDER: "x".repeat(2000) } } },
      { html: "{{{ORDER}}}".repeat(1001) },
      "template: its html with these values is too long",
    ],
    [
      "a template that isn't published",
      {},
      { isPublished: false },
      "template.id: the template isn't published",
    ],
    ["an unknown template", { template: { id: "other" } }, {}, "template.id: no such template"],
    ["an unknown ID", { template: { id: randomUUID() } }, {}, "template.id: no such template"],
  ])("is rejected with %s", async (_, more, template, message) => {
    await aTemplate(sender.companyId, { alias: "order", ...template });
    const { status, body } = await send(withTemplate("order", more));
    expect((body as { message: string }).message).toContain(message);
    expect(status).toBe(422);
    expect(await emailsOf(sender.companyId)).toBe(0);
  });

  test("can't use another company's template", async () => {
    const { id } = await aTemplate((await aCompany()).id, { alias: "theirs" });
    for (const each of [id, "theirs"])
      expect(await send(withTemplate(each))).toMatchObject({
        status: 422,
        body: { name: "validation_error", message: "template.id: no such template" },
      });
  });

  test("is bound to the domain of its key, also with the template's sender", async () => {
    const other = await aDomain(sender.companyId);
    const { id } = await aTemplate(sender.companyId, { from: `a@${other.name}` });
    const { token } = await anApiKey(sender.companyId, {
      permission: "sending_access",
      domainId: sender.domain.id,
    });
    const template = { id, variables: ORDER };
    const answer = await call(emailsApi.send, { key: token, body: { to: email.to, template } });
    expect(answer).toMatchObject({ status: 403 });
    expect((await call(emailsApi.send, { key: token, body: { ...email, template } })).status).toBe(
      200,
    );
  });

  test("is sent once per idempotency key, even if the template changes", async () => {
    const { id } = await aTemplate(sender.companyId);
    const headers = { "idempotency-key": randomUUID() };
    const first = await send(withTemplate(id), headers);
    await deleteTemplate(aContext(sender.companyId), id);
    expect((await send(withTemplate(id), headers)).body).toEqual(first.body);
    expect(await emailsOf(sender.companyId)).toBe(1);
  });
});

describe("a batch with templates", () => {
  const batch = (emails: object[], mode = "strict") =>
    call(emailsApi.sendBatch, {
      key: sender.key,
      body: emails,
      headers: { "x-batch-validation": mode },
    });

  test("fills in each email, next to emails without a template", async () => {
    const { id } = await aTemplate(sender.companyId, { alias: "order" });
    const plain = { ...email, subject: "Plain", text: "Hi" };
    const answer = await batch([withTemplate(id), plain, withTemplate("order")]);
    const { data } = answer.body as { data: { id: string }[] };
    const subjects = await Promise.all(
      data.map(async (body) => (await storedBy({ status: 200, body })).subject),
    );
    expect(subjects).toEqual(["Your order 7", "Plain", "Your order 7"]);
  });

  test("fails as a whole with the index of the first invalid email", async () => {
    const { id } = await aTemplate(sender.companyId);
    expect(await batch([withTemplate(id), withTemplate("other"), { ...email }])).toMatchObject({
      status: 422,
      body: { message: "Email at index 1: template.id: no such template" },
    });
    expect(await emailsOf(sender.companyId)).toBe(0);
  });

  test("skips invalid emails if it is permissive", async () => {
    const { id } = await aTemplate(sender.companyId);
    const { body } = await batch([withTemplate("other"), withTemplate(id)], "permissive");
    expect(body).toMatchObject({
      errors: [{ index: 0, message: "template.id: no such template" }],
    });
    expect((body as { data: unknown[] }).data).toHaveLength(1);
  });

  test("can't produce more than a request body may have", async () => {
    const html = "{{{ORDER}}}".repeat(990);
    const { id } = await aTemplate(sender.companyId, { html, subject: "A" });
    const template = { id, variables: { ORDER: "x".repeat(2000) } };
    const emails = Array.from({ length: 16 }, () => ({ ...email, template }));
    expect(await batch(emails)).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining(
          "Email at index 15: template: the request's emails",
        ) as string,
      },
    });
  });

  test("can't load templates without bounds", async () => {
    const [html, text] = ["x".repeat(500_000), "x".repeat(500_000)];
    const made = await Promise.all(
      Array.from({ length: 11 }, () => aTemplate(sender.companyId, { html, text, subject: "A" })),
    );
    const use = (some: typeof made) => batch(some.map(({ id }) => withTemplate(id)));
    expect(await use(made)).toMatchObject({
      status: 422,
      body: { message: "The templates of this batch are too large together. Split it" },
    });
    expect((await use(made.slice(1))).status).toBe(200);
  });
});
