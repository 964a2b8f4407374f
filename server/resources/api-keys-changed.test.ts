import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { apiKeys, auditEntries, emailEvents } from "#drizzle/schema/index.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { db } from "#server/db/pool.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import {
  aScheduledEmail,
  aSchedulingCompany,
  scheduledEmails,
  totalsOf,
} from "#server/testing/scheduled-emails.ts";

import { apiKeysApi } from "./api-keys.ts";

describe("renaming", () => {
  const absent = { status: 404, body: { name: "not_found", message: "API key not found" } };

  async function twoKeys() {
    const { id: companyId } = await aCompany();
    const caller = await anApiKey(companyId);
    const other = await anApiKey(companyId, {
      creatorId: caller.creatorId,
      permission: "sending_access",
    });
    return { companyId, key: caller.token, own: caller.id, id: other.id, token: other.token };
  }

  const stored = async (id: string) => {
    const [key] = await db().select().from(apiKeys).where(eq(apiKeys.id, id));
    return key!;
  };

  describe("PATCH /api-keys/{id}", () => {
    test("renames the key, trims the name, and changes nothing else", async () => {
      const { key, id } = await twoKeys();
      const before = await stored(id);

      const answered = await call(apiKeysApi.update, {
        key,
        params: { id },
        body: { name: " New " },
      });

      expect(answered).toMatchObject({ status: 200 });
      expect(answered.body).toEqual({ object: "api_key", id });
      expect(await stored(id)).toEqual({ ...before, name: "New" });
    });

    test("can rename the calling key", async () => {
      const { key, own } = await twoKeys();

      await call(apiKeysApi.update, { key, params: { id: own }, body: { name: "Me" } });

      const { body } = await call(apiKeysApi.list, { key });
      expect((body as { data: object[] }).data).toContainEqual(
        expect.objectContaining({ id: own, name: "Me" }),
      );
    });

    test("finds a key by an uppercase id", async () => {
      const { key, id } = await twoKeys();

      expect(
        await call(apiKeysApi.update, {
          key,
          params: { id: id.toUpperCase() },
          body: { name: "New" },
        }),
      ).toMatchObject({ status: 200, body: { id } });
    });

    test("writes an audit entry with the calling key's name", async () => {
      const { key, id, companyId } = await twoKeys();

      await call(apiKeysApi.update, { key, params: { id }, body: { name: "New" } });

      const entries = await db()
        .select()
        .from(auditEntries)
        .where(
          and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, "api_key.renamed")),
        );
      expect(entries).toEqual([
        expect.objectContaining({
          actor: "API key Test key",
          details: { keyId: id, from: "Test key", to: "New" },
        }),
      ]);
    });

    test.each([
      ["no name", {}],
      ["null for a name", { name: null }],
      ["an empty name", { name: "" }],
      ["a name of spaces", { name: "  " }],
      ["a name of 51 characters", { name: "n".repeat(51) }],
      ["a control character in the name", { name: "a\u0085b" }],
      ["a name that is a number", { name: 7 }],
      ["a list for a body", []],
    ])("rejects %s with validation_error", async (_, body) => {
      const { key, id } = await twoKeys();

      expect(await call(apiKeysApi.update, { key, params: { id }, body })).toMatchObject({
        status: 422,
        body: { statusCode: 422, name: "validation_error" },
      });
      expect(await stored(id)).toMatchObject({ name: "Test key" });
    });

    test.each([
      ["an id of nothing", "01990000-0000-7000-8000-000000000000"],
      ["no id at all", "nonsense"],
    ])("returns not_found for %s", async (_, id) => {
      const { key } = await twoKeys();

      expect(
        await call(apiKeysApi.update, { key, params: { id }, body: { name: "a" } }),
      ).toMatchObject(absent);
    });

    test("returns not_found for a revoked key, and for the secret instead of the id", async () => {
      const { key, id, token } = await twoKeys();
      await call(apiKeysApi.delete, { key, params: { id } });

      for (const named of [id, token])
        expect(
          await call(apiKeysApi.update, { key, params: { id: named }, body: { name: "a" } }),
        ).toMatchObject(absent);
    });

    test("returns not_found for another company's key and leaves it unchanged", async () => {
      const { key } = await twoKeys();
      const { id } = await twoKeys();

      expect(
        await call(apiKeysApi.update, { key, params: { id }, body: { name: "Mine" } }),
      ).toMatchObject(absent);
      expect(await stored(id)).toMatchObject({ name: "Test key" });
    });

    test("rejects sending keys, and creators without the API controls privilege", async () => {
      const { id, token, companyId } = await twoKeys();
      const other = await anApiKey(companyId, { privileges: [] });

      for (const [key, status, name] of [
        [token, 401, "restricted_api_key"],
        [other.token, 403, "invalid_permission"],
      ] as const)
        expect(
          await call(apiKeysApi.update, { key, params: { id }, body: { name: "a" } }),
        ).toMatchObject({
          status,
          body: { name },
        });
    });
  });
});

describe("deleting", () => {
  const absent = { status: 404, body: { name: "not_found", message: "API key not found" } };
  const [ann, bob] = ["ann@a.example", "bob@b.example"];

  /** A company with one key for the requests and one that schedules emails. */
  async function aCompanyWithTwoKeys() {
    const sender = await aSchedulingCompany();
    const caller = await anApiKey(sender.companyId);
    return { sender, companyId: sender.companyId, key: caller.token, own: caller.id };
  }
  const revoke = (key: string, id: string) => call(apiKeysApi.delete, { key, params: { id } });

  describe("DELETE /api-keys/{id}", () => {
    test("returns object, id and deleted", async () => {
      const { sender, key } = await aCompanyWithTwoKeys();

      const answered = await revoke(key, sender.key.id);

      expect(answered).toMatchObject({ status: 200 });
      expect(answered.body).toEqual({ object: "api_key", id: sender.key.id, deleted: true });
    });

    test("takes effect immediately", async () => {
      const { sender, key } = await aCompanyWithTwoKeys();
      expect(await call(emailsApi.list, { key: sender.key.token })).toMatchObject({ status: 200 });

      await revoke(key, sender.key.id);

      expect(await call(emailsApi.list, { key: sender.key.token })).toMatchObject({
        status: 403,
        body: { name: "invalid_api_key" },
      });
      expect(await call(emailsApi.list, { key })).toMatchObject({ status: 200 });
    });

    test("can revoke the calling key", async () => {
      const { key, own } = await aCompanyWithTwoKeys();

      expect(await revoke(key, own)).toMatchObject({ status: 200 });
      expect(await revoke(key, own)).toMatchObject({ status: 403 });
    });

    test("cancels emails that the key scheduled, with a reason", async () => {
      const { sender, key } = await aCompanyWithTwoKeys();
      const ids = await scheduledEmails(sender, [[ann, bob], [bob]]);

      await revoke(key, sender.key.id);

      for (const id of ids) expect(await historyOf(id)).toEqual(["scheduled", "canceled"]);
      const [event] = await db()
        .select()
        .from(emailEvents)
        .where(and(eq(emailEvents.emailId, ids[0]!), eq(emailEvents.type, "canceled")));
      expect(event!.reason).toMatch(/key .* revoked/);
      expect(await auditLedger(db())).toMatchObject({ unaccounted: 0 });
    });

    test("returns their recipients to the monthly allowance and the scheduled backlog", async () => {
      const { sender, key, companyId } = await aCompanyWithTwoKeys();
      await scheduledEmails(sender, [[ann, bob], [bob]]);
      expect(await totalsOf(companyId)).toEqual({ hour: 0, month: 3, scheduled: 3 });

      await revoke(key, sender.key.id);

      expect(await totalsOf(companyId)).toEqual({ hour: 0, month: 0, scheduled: 0 });
    });

    test("leaves emails scheduled by other keys, and sent emails, unchanged", async () => {
      const { sender, key, companyId } = await aCompanyWithTwoKeys();
      const sent = await aScheduledEmail(sender, [ann], { due: -1 });
      await processDueEmails(db());
      const other = { ...sender, key: await anApiKey(companyId) };
      const waiting = await aScheduledEmail(other, [bob]);

      await revoke(key, sender.key.id);

      expect(await historyOf(sent)).toEqual(["scheduled", "sent"]);
      expect(await historyOf(waiting)).toEqual(["scheduled"]);
      expect(await totalsOf(companyId)).toEqual({ hour: 1, month: 2, scheduled: 1 });
    });

    test("writes an audit entry with the calling key's name", async () => {
      const { sender, key, companyId } = await aCompanyWithTwoKeys();
      await scheduledEmails(sender, [[ann], [bob]]);

      await revoke(key, sender.key.id);

      const entries = await db()
        .select()
        .from(auditEntries)
        .where(
          and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, "api_key.revoked")),
        );
      expect(entries).toEqual([
        expect.objectContaining({
          actor: "API key Test key",
          details: { keyId: sender.key.id, name: "Test key", canceledEmails: 2 },
        }),
      ]);
    });

    test("revokes once under concurrent requests", async () => {
      const { sender, key } = await aCompanyWithTwoKeys();
      const id = await aScheduledEmail(sender, [ann]);

      const answers = await Promise.all(
        Array.from({ length: 9 }, () => revoke(key, sender.key.id)),
      );

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 404)).toHaveLength(8);
      expect(await historyOf(id)).toEqual(["scheduled", "canceled"]);
    });

    test("finds a key by an uppercase id", async () => {
      const { sender, key } = await aCompanyWithTwoKeys();

      expect(await revoke(key, sender.key.id.toUpperCase())).toMatchObject({
        body: { id: sender.key.id, deleted: true },
      });
    });

    test.each([
      ["an id of nothing", "01990000-0000-7000-8000-000000000000"],
      ["no id at all", "nonsense"],
    ])("returns not_found for %s", async (_, id) => {
      const { token } = await anApiKey((await aCompany()).id);

      expect(await revoke(token, id)).toMatchObject(absent);
    });

    test("returns not_found for a revoked key, and for the secret instead of the id", async () => {
      const { sender, key } = await aCompanyWithTwoKeys();
      expect(await revoke(key, sender.key.token)).toMatchObject(absent);
      await revoke(key, sender.key.id);

      expect(await revoke(key, sender.key.id)).toMatchObject(absent);
    });

    test("returns not_found for another company's key and leaves its schedules unchanged", async () => {
      const { key } = await aCompanyWithTwoKeys();
      const { sender } = await aCompanyWithTwoKeys();
      const id = await aScheduledEmail(sender, [ann]);

      expect(await revoke(key, sender.key.id)).toMatchObject(absent);
      expect(await historyOf(id)).toEqual(["scheduled"]);
      const [stored] = await db().select().from(apiKeys).where(eq(apiKeys.id, sender.key.id));
      expect(stored).toMatchObject({ revokedAt: null });
    });

    test("rejects sending keys, and creators without the API controls privilege", async () => {
      const { sender, companyId } = await aCompanyWithTwoKeys();
      const sending = await anApiKey(companyId, { permission: "sending_access" });
      const other = await anApiKey(companyId, { privileges: [] });

      for (const [key, status, name] of [
        [sending.token, 401, "restricted_api_key"],
        [other.token, 403, "invalid_permission"],
      ] as const)
        expect(await revoke(key, sender.key.id)).toMatchObject({ status, body: { name } });
    });
  });
});
