import { Readable } from "node:stream";

import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";

import { dkimKeys, idempotencyKeys } from "#drizzle/schema/index.ts";
import { deleteOldIdempotencyKeys } from "#server/core/sending/idempotency/idempotency.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { createDkimKey } from "#server/core/sending/dkim/dkim-keys.ts";
import { db } from "#server/db/pool.ts";
import { anApiSender, emailsOf, withoutRates } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";
import { anApiKey } from "#server/testing/factories.ts";
import { createRouter } from "#server/http/router.ts";

import { emailsApi } from "./api.ts";

let endProcess: () => Promise<void>;
beforeAll(async () => {
  await withoutRates();
  endProcess = await registerProcess(db(), "web");
});
afterAll(() => endProcess());

const withKey = (key: string) => ({ "idempotency-key": key });
const ofKey = (companyId: string, key: string) =>
  and(eq(idempotencyKeys.companyId, companyId), eq(idempotencyKeys.key, key));

describe("Idempotency-Key", () => {
  test("a retry with the same body returns the first response, marks it as a replay, and sends nothing", async () => {
    const { key, email, companyId } = await anApiSender();
    const first = await call(emailsApi.send, { key, headers: withKey("a"), body: email });
    const again = await call(emailsApi.send, { key, headers: withKey("a"), body: email });

    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await emailsOf(companyId)).toBe(1);
  });

  test.each([
    ["an email", emailsApi.send, (email: object) => email],
    ["a batch", emailsApi.sendBatch, (email: object) => [email]],
  ])("a retry of %s after scheduled_at returns the first response", async (_, endpoint, bodyOf) => {
    const { key, email, companyId } = await anApiSender();
    const scheduledAt = new Date(Date.now() + 60_000).toISOString();
    const body = bodyOf({ ...email, scheduled_at: scheduledAt });
    const first = await call(endpoint, { key, headers: withKey("a"), body });
    expect(first.status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    onTestFinished(() => void vi.useRealTimers());

    const again = await call(endpoint, { key, headers: withKey("a"), body });

    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await emailsOf(companyId)).toBe(1);
    expect(await call(endpoint, { key, headers: withKey("b"), body })).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining("scheduled_at: must not be in the past") as string,
      },
    });
  });

  test("different spellings of a path are the same endpoint", async () => {
    const { key, email, companyId } = await anApiSender();
    const send = (path: string) => {
      const body = Readable.from([Buffer.from(JSON.stringify(email))]);
      const headers = { authorization: `Bearer ${key}`, ...withKey("a") };
      return createRouter([emailsApi.send])({
        method: "POST",
        path,
        query: "",
        address: "127.0.0.1",
        requestId: "test",
        headers,
        stream: body,
      });
    };
    expect(await send("/emails")).toMatchObject({ status: 200 });
    const again = await send("/%65mail%73");
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await emailsOf(companyId)).toBe(1);
  });

  test("a lost idempotency lock fails only its own request, with 409", async () => {
    const [one, two] = [await anApiSender(), await anApiSender()];
    await db()
      .execute(sql`create or replace function lose_lock() returns trigger language plpgsql as $$
        begin
          if new.key = 'lost' then new.lock_id = gen_random_uuid(); end if;
          return new;
        end $$;
        create trigger lose_lock before insert on idempotency_keys
          for each row execute function lose_lock()`);
    try {
      const answers = await Promise.all([
        call(emailsApi.send, { key: one.key, body: one.email }),
        call(emailsApi.send, { key: one.key, headers: withKey("lost"), body: one.email }),
        call(emailsApi.send, { key: two.key, headers: withKey("kept"), body: two.email }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 409, 200]);
      expect(await emailsOf(one.companyId)).toBe(1);
      expect(await emailsOf(two.companyId)).toBe(1);
    } finally {
      await db().execute(sql`drop function lose_lock() cascade`);
    }
  });

  test("a batch is replayed as a whole, by the same rules", async () => {
    const { key, email, companyId } = await anApiSender();
    const request = { key, headers: withKey("a"), body: [email, email] };
    const first = await call(emailsApi.sendBatch, request);
    const again = await call(emailsApi.sendBatch, request);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await emailsOf(companyId)).toBe(2);
  });

  test("rejects a different body with the same key", async () => {
    const { key, email, companyId } = await anApiSender();
    await call(emailsApi.send, { key, headers: withKey("a"), body: email });
    const other = { ...email, subject: "Other" };
    expect(await call(emailsApi.send, { key, headers: withKey("a"), body: other })).toMatchObject({
      status: 409,
      body: { name: "invalid_idempotent_request" },
    });
    expect(await emailsOf(companyId)).toBe(1);
  });

  test("stores keys per company and endpoint", async () => {
    const [one, two] = [await anApiSender(), await anApiSender()];
    for (const { key, email } of [one, two])
      expect((await call(emailsApi.send, { key, headers: withKey("a"), body: email })).status).toBe(
        200,
      );
    const { key, email } = one;
    expect(
      (await call(emailsApi.sendBatch, { key, headers: withKey("a"), body: [email] })).status,
    ).toBe(200);
    expect(await emailsOf(one.companyId)).toBe(2);
    expect(await emailsOf(two.companyId)).toBe(1);
  });

  test("all API keys of a company share the idempotency keys", async () => {
    const { companyId, key, email } = await anApiSender();
    const { token: other } = await anApiKey(companyId);
    const first = await call(emailsApi.send, { key, headers: withKey("a"), body: email });
    const again = await call(emailsApi.send, { key: other, headers: withKey("a"), body: email });
    expect(again.body).toEqual(first.body);
  });

  test.each([
    ["empty", ""],
    ["257 characters long", "k".repeat(257)],
  ])("rejects a key that is %s", async (_, idempotencyKey) => {
    const { key, email, companyId } = await anApiSender();
    expect(
      await call(emailsApi.send, { key, headers: withKey(idempotencyKey), body: email }),
    ).toMatchObject({ status: 400, body: { name: "invalid_idempotency_key" } });
    expect(await emailsOf(companyId)).toBe(0);
  });

  test("accepts a key of 256 characters", async () => {
    const { key, email } = await anApiSender();
    const headers = withKey("k".repeat(256));
    expect((await call(emailsApi.send, { key, headers, body: email })).status).toBe(200);
  });

  test("a rejected request releases its key", async () => {
    const { key, email, companyId } = await anApiSender();
    const foreign = { ...email, from: "ann@elsewhere.example" };
    expect((await call(emailsApi.send, { key, headers: withKey("a"), body: foreign })).status).toBe(
      403,
    );
    expect((await call(emailsApi.send, { key, headers: withKey("a"), body: email })).status).toBe(
      200,
    );
    expect(await emailsOf(companyId)).toBe(1);
  });

  test("an email that the mail server did not accept releases its key", async () => {
    const { key, email, domain } = await anApiSender();
    await db().delete(dkimKeys).where(eq(dkimKeys.domainId, domain.id));
    const request = { key, headers: withKey("a"), body: email };
    expect((await call(emailsApi.send, request)).status).toBe(500);
    await createDkimKey(db(), domain.id);
    expect((await call(emailsApi.send, request)).status).toBe(200);
  });

  test("twenty concurrent requests with one key send once", async () => {
    const { key, email, companyId } = await anApiSender();
    const request = { key, headers: withKey("a"), body: email };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call(emailsApi.send, request)),
    );
    expect(await emailsOf(companyId)).toBe(1);
    const ids = answers.flatMap(({ status, body }) =>
      status === 200 ? (body as { id: string }).id : [],
    );
    expect(new Set(ids).size).toBe(1);
    for (const { status, body } of answers)
      if (status !== 200)
        expect(body).toMatchObject({ statusCode: 409, name: "concurrent_idempotent_requests" });
  });

  test("a second request gets an error while the first is in progress", async () => {
    const { key, email, companyId } = await anApiSender();
    const request = { key, headers: withKey("a"), body: email };
    await call(emailsApi.send, request);
    await db().update(idempotencyKeys).set({ answer: null }).where(ofKey(companyId, "a"));
    expect(await call(emailsApi.send, request)).toMatchObject({
      status: 409,
      body: { name: "concurrent_idempotent_requests" },
    });
  });

  test("the key of a killed process is released", async () => {
    const { key, email, companyId } = await anApiSender();
    const request = { key, headers: withKey("a"), body: email };
    await call(emailsApi.send, request);
    await db()
      .update(idempotencyKeys)
      .set({ answer: null, processId: "00000000-0000-4000-8000-00000000dead" })
      .where(ofKey(companyId, "a"));
    expect((await call(emailsApi.send, request)).status).toBe(200);
    expect(await emailsOf(companyId)).toBe(2);
  });

  test("a key can be reused after 24 hours, and its row is deleted", async () => {
    const { key, email, companyId } = await anApiSender();
    const makeOld = () =>
      db()
        .update(idempotencyKeys)
        .set({ createdAt: sql`clock_timestamp() - interval '24 hours 1 second'` })
        .where(ofKey(companyId, "a"));
    const request = { key, headers: withKey("a"), body: email };
    const first = await call(emailsApi.send, request);
    await makeOld();
    const second = await call(emailsApi.send, request);
    expect(second.body).not.toEqual(first.body);

    await makeOld();
    await deleteOldIdempotencyKeys(db());
    expect(await db().$count(idempotencyKeys, ofKey(companyId, "a"))).toBe(0);
  });
});
