import { eq, inArray } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import { dkimKeys, emails, outbox } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { anApiSender, emailsOf, historyOf, withoutRates } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";
import { anApiKey, aDomain, aSuppression } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";

beforeAll(withoutRates);

const permissive = { "x-batch-validation": "permissive" };

type Data = { data: { id: string }[]; errors?: { index: number; message: string }[] };
const idsOf = (body: unknown) => (body as Data).data.map(({ id }) => id);

describe("POST /emails/batch", () => {
  test("returns only ids, in the order of the emails, after committing everything", async () => {
    const { companyId, key, email } = await anApiSender();
    const batch = ["One", "Two", "Three"].map((subject) => ({ ...email, subject }));

    const { status, body } = await call(emailsApi.sendBatch, { key, body: batch });

    expect(status).toBe(200);
    expect(Object.keys(body as object)).toEqual(["data"]);
    const stored = await db().select().from(emails).where(eq(emails.companyId, companyId));
    const subjects = new Map(stored.map(({ id, subject }) => [id, subject]));
    expect(idsOf(body).map((id) => subjects.get(id))).toEqual(["One", "Two", "Three"]);
    expect(await db().$count(outbox, inArray(outbox.emailId, idsOf(body)))).toBe(3);
  });

  test("accepts 100 emails in one request", async () => {
    const { companyId, key, email } = await anApiSender();
    const batch = Array.from({ length: 100 }, () => email);
    const { status, body } = await call(emailsApi.sendBatch, { key, body: batch });
    expect(status).toBe(200);
    expect(new Set(idsOf(body)).size).toBe(100);
    expect(await emailsOf(companyId)).toBe(100);
  });

  test("can schedule one email while the others are sent", async () => {
    const { key, email } = await anApiSender();
    const batch = [email, { ...email, scheduled_at: "in 2 hours" }];
    const { body } = await call(emailsApi.sendBatch, { key, body: batch });
    const histories = await Promise.all(idsOf(body).map(historyOf));
    expect(histories.map(([first]) => first!.type)).toEqual(["sent", "scheduled"]);
  });

  test("a domain-restricted key can send a batch from its domain", async () => {
    const { companyId, email, domain } = await anApiSender();
    const { token: key } = await anApiKey(companyId, {
      permission: "sending_access",
      domainId: domain.id,
    });
    expect((await call(emailsApi.sendBatch, { key, body: [email] })).status).toBe(200);
  });

  test("treats empty attachments as none", async () => {
    const { key, email } = await anApiSender();
    const batch = [
      { ...email, attachments: [] },
      { ...email, attachments: null },
    ];
    expect((await call(emailsApi.sendBatch, { key, body: batch })).status).toBe(200);
  });

  test("records an email that the mail server does not accept as failed and returns its id", async () => {
    const { key, email, companyId } = await anApiSender();
    const unsigned = await aDomain(companyId);
    await db().delete(dkimKeys).where(eq(dkimKeys.domainId, unsigned.id));
    const batch = [email, { ...email, from: `ann@${unsigned.name}` }];

    const { status, body } = await call(emailsApi.sendBatch, { key, body: batch });

    expect(status).toBe(200);
    const histories = await Promise.all(idsOf(body).map(historyOf));
    expect(histories.map(([first]) => first!.type)).toEqual(["sent", "failed"]);
  });

  test("an email whose recipients are all suppressed ends as suppressed", async () => {
    const { key, email, companyId } = await anApiSender();
    await aSuppression(companyId, { email: "eve@example.org" });
    const { body } = await call(emailsApi.sendBatch, {
      key,
      body: [{ ...email, to: "eve@example.org" }],
    });
    expect((await historyOf(idsOf(body)[0]!)).map(({ type }) => type)).toEqual(["suppressed"]);
  });
});

describe("POST /emails/batch, strict: rejects the whole batch and stores nothing:", () => {
  async function expectRefused(
    make: (sender: Awaited<ReturnType<typeof anApiSender>>) => unknown,
    expected: { status: number; name: string; message: string | RegExp },
    headers: Record<string, string> = {},
  ) {
    const sender = await anApiSender();
    const rawBody = make(sender);
    const { status, body } = await call(emailsApi.sendBatch, {
      key: sender.key,
      headers,
      ...(typeof rawBody === "string" ? { rawBody } : { body: rawBody }),
    });
    const message =
      typeof expected.message === "string"
        ? expected.message
        : (expect.stringMatching(expected.message) as string);
    expect({ status, body }).toEqual({
      status: expected.status,
      body: { statusCode: expected.status, name: expected.name, message },
    });
    expect(await emailsOf(sender.companyId)).toBe(0);
  }

  const list = /list of 1 to 100 emails/;
  test.each([
    ["a body that is no JSON", "[{", "Invalid JSON body"],
    ["an object instead of a list", { to: "bob@example.org" }, list],
    ["an empty list", [], list],
    ["101 emails", Array.from({ length: 101 }, () => ({})), list],
  ])("%s", (_, body, message) =>
    expectRefused(() => body, { status: 422, name: "validation_error", message }),
  );

  test("an unknown x-batch-validation", () =>
    expectRefused(
      ({ email }) => [email],
      { status: 422, name: "validation_error", message: /strict or permissive/ },
      { "x-batch-validation": "lenient" },
    ));

  test("an invalid email, with its index", () =>
    expectRefused(({ email }) => [email, { ...email, to: "a@b.example, c@d.example" }], {
      status: 422,
      name: "validation_error",
      message: /^Email at index 1: to: /,
    }));

  test("an email that is not an object", () =>
    expectRefused(({ email }) => [email, 7], {
      status: 422,
      name: "validation_error",
      message: /^Email at index 1: /,
    }));

  test("an email without a required field", () =>
    expectRefused(({ email }) => [email, { ...email, subject: undefined }], {
      status: 422,
      name: "missing_required_field",
      message: "Email at index 1: Missing required field: subject",
    }));

  test("an email with attachments", () =>
    expectRefused(({ email }) => [{ ...email, attachments: [{ content: "eA==" }] }], {
      status: 422,
      name: "validation_error",
      message: /^Email at index 0: Attachments/,
    }));

  test("an email from a domain that does not belong to the company", () =>
    expectRefused(({ email }) => [email, { ...email, from: "ann@elsewhere.example" }], {
      status: 403,
      name: "invalid_from_address",
      message: /^Email at index 1: /,
    }));

  test("an email from a domain that is not verified", async () => {
    const { companyId, key, email } = await anApiSender();
    const pending = await aDomain(companyId, { status: "pending" });
    const batch = [email, { ...email, from: `ann@${pending.name}` }];
    expect(await call(emailsApi.sendBatch, { key, body: batch })).toMatchObject({
      status: 403,
      body: {
        name: "domain_not_verified",
        message: expect.stringMatching(/^Email at index 1: /) as string,
      },
    });
    expect(await emailsOf(companyId)).toBe(0);
  });

  test("the first of several invalid emails determines the error", () =>
    expectRefused(
      ({ email }) => [email, { ...email, from: "ann@elsewhere.example" }, { ...email, to: [] }],
      { status: 403, name: "invalid_from_address", message: /^Email at index 1: / },
    ));

  test("a company without an active subscription", async () => {
    const { key, email, companyId } = await anApiSender({ subscriptionActive: false });
    for (const headers of [{}, permissive])
      expect(await call(emailsApi.sendBatch, { key, headers, body: [email] })).toMatchObject({
        status: 403,
        body: { name: "account_inactive" },
      });
    expect(await emailsOf(companyId)).toBe(0);
  });

  test("a domain of another company", async () => {
    const { domain } = await anApiSender();
    await expectRefused(({ email }) => [{ ...email, from: `ann@${domain.name}` }], {
      status: 403,
      name: "invalid_from_address",
      message: /^Email at index 0: /,
    });
  });
});

describe("POST /emails/batch, permissive:", () => {
  test("sends valid emails and lists invalid ones by their index", async () => {
    const { companyId, key, email } = await anApiSender();
    const batch = [
      { ...email, to: "invalid" },
      email,
      { ...email, from: "ann@elsewhere.example" },
      { ...email, subject: "Second" },
      { ...email, attachments: [{ content: "eA==" }] },
    ];
    const { status, body } = await call(emailsApi.sendBatch, {
      key,
      headers: permissive,
      body: batch,
    });
    expect(status).toBe(200);
    const { data, errors } = body as Data;
    expect(data).toHaveLength(2);
    expect(errors!.map(({ index }) => index)).toEqual([0, 2, 4]);
    expect(errors![1]!.message).toContain("elsewhere.example");
    expect(await emailsOf(companyId)).toBe(2);
  });

  test("returns an empty errors list if all emails are valid", async () => {
    const { key, email } = await anApiSender();
    const { body } = await call(emailsApi.sendBatch, { key, headers: permissive, body: [email] });
    expect(body).toMatchObject({ data: [{}], errors: [] });
  });

  test("returns 200 and sends nothing if no email is valid", async () => {
    const { key, email, companyId } = await anApiSender();
    const answered = await call(emailsApi.sendBatch, {
      key,
      headers: permissive,
      body: [{ ...email, to: "" }],
    });
    expect(answered).toMatchObject({ status: 200, body: { data: [], errors: [{ index: 0 }] } });
    expect(await emailsOf(companyId)).toBe(0);
  });
});
