import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import {
  apiKeys,
  auditEntries,
  dkimKeys,
  domains,
  emailEvents,
  emails,
  mailboxes,
  webhookEvents,
} from "#drizzle/schema/index.ts";
import { apiKeysApi } from "#server/resources/api-keys.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { lockVerifiedDomain, reserveAddress } from "#server/core/mailboxes/addresses/addresses.ts";
import { deleteDomain as deleteInCore } from "#server/core/domains/domains/deleted-domains.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { ensureRootUnit } from "#server/core/mailboxes/org-units/units.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import type { Db } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { call } from "#server/testing/call.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anAdmin,
  anAlias,
  anApiKey,
  aWebhook,
} from "#server/testing/factories.ts";

import { domainsApi } from "./api.ts";

let companyId: string;
let ownerId: string;
let key: string;

beforeAll(async () => {
  companyId = (await aCompany()).id;
  ownerId = (await anAdmin(companyId, { isOwner: true })).id;
  key = (await anApiKey(companyId, { creatorId: ownerId })).token;
});

/** Creates a mailbox, limited to the steps that concern its domain. */
async function aMailboxIn(tx: Db, { domainId, address }: { domainId: string; address: string }) {
  await reserveAddress(
    { ...aContext(companyId), db: tx },
    { domainId, address, kind: "mailbox", field: "email" },
  );
  const orgUnitId = await ensureRootUnit({ db: tx, companyId });
  const rest = { name: "Ann", passwordHash: "", quotaMb: 256, store: address };
  await tx.insert(mailboxes).values({ companyId, domainId, address, orgUnitId, ...rest });
}

const remove = (id: string, as = key) => call(domainsApi.delete, { key: as, params: { id } });
const schedule = async (from: string, as: string) => {
  const email = { from, to: "b@example.org", subject: "Hello", text: "Hi" };
  const body = { ...email, scheduled_at: "in 1 hour" };
  return ((await call(emailsApi.send, { key: as, body })).body as { id: string }).id;
};
const lastEventOf = async (id: string) =>
  (await db().select().from(emails).where(eq(emails.id, id)))[0]!.lastEvent;
const audited = async (action: string) =>
  (
    await db()
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, action)))
  ).map(({ details }) => details);

describe("DELETE /domains/{id}", () => {
  test("deletes the domain with its keys and sends domain.deleted", async () => {
    const { id, name } = await aDomain(companyId);
    const webhook = await aWebhook(companyId, { events: ["domain.deleted"] });

    expect(await remove(id)).toMatchObject({
      status: 200,
      body: { object: "domain", id, deleted: true },
    });

    expect(await call(domainsApi.get, { key, params: { id } })).toMatchObject({ status: 404 });
    expect(await db().$count(dkimKeys, eq(dkimKeys.domainId, id))).toBe(0);
    expect(
      await db().select().from(webhookEvents).where(eq(webhookEvents.webhookId, webhook.id)),
    ).toMatchObject([
      { type: "domain.deleted", payload: { data: { id, name, status: "verified" } } },
    ]);
    expect(await audited("domain.deleted")).toContainEqual({ domainId: id, name });
    expect(await remove(id)).toMatchObject({ status: 404, body: { message: "Domain not found" } });
  });

  test("deletes its groups and the aliases in it of other domains' mailboxes, each with an audit entry", async () => {
    const { id, name } = await aDomain(companyId);
    const other = await aDomain(companyId);
    const mailbox = await aMailbox(other);
    const own = { id, name, companyId };
    const [alias, group] = [await anAlias(own, mailbox.address), await aGroup(own)];
    const stays = await anAlias(other, mailbox.address);

    expect((await remove(id)).status).toBe(200);

    const left = await resolveRecipients(db(), [alias, group.address, stays, mailbox.address]);
    expect([...left.keys()].sort()).toEqual([stays, mailbox.address].sort());
    expect(await audited("alias.removed")).toEqual([{ alias, mailbox: mailbox.address }]);
    expect(await audited("group.deleted")).toEqual([{ group: group.address }]);
  });

  test("does not lose a mailbox that is created at the same time", async () => {
    for (let round = 0; round < 5; round++) {
      const { id, name } = await aDomain(companyId);
      const ctx = aContext(companyId);
      const [made, deleted] = await Promise.allSettled([
        db().transaction(async (tx) => {
          const domainId = await lockVerifiedDomain({ ...ctx, db: tx }, name, "email");
          await aMailboxIn(tx, { domainId, address: `ann@${name}` });
        }),
        deleteInCore(ctx, id, { via: "console" }),
      ]);
      expect([made.status, deleted.status].sort()).toEqual(["fulfilled", "rejected"]);
    }
  });

  test("sends no event for a deletion in the console", async () => {
    const { id } = await aDomain(companyId);
    const webhook = await aWebhook(companyId);

    await deleteInCore(aContext(companyId), id, { via: "console" });

    expect(await db().$count(webhookEvents, eq(webhookEvents.webhookId, webhook.id))).toBe(0);
  });

  test("rejects the deletion while the domain has mailboxes", async () => {
    const domain = await aDomain(companyId);
    await aMailbox(domain);

    expect(await remove(domain.id)).toMatchObject({
      status: 409,
      body: {
        name: "resource_in_use",
        message: `${domain.name} still has 1 mailbox. Delete it first`,
      },
    });
    expect(await call(domainsApi.get, { key, params: { id: domain.id } })).toMatchObject({
      status: 200,
    });
  });

  test("returns not_found for another company's domain", async () => {
    const { id } = await aDomain((await aCompany()).id);

    expect(await remove(id)).toMatchObject({ status: 404, body: { name: "not_found" } });
    expect(await db().$count(domains, eq(domains.id, id))).toBe(1);
  });

  test("revokes keys restricted to the domain and cancels the emails they scheduled", async () => {
    const { id, name } = await aDomain(companyId);
    const sending = { permission: "sending_access", domainId: id } as const;
    const restricted = await anApiKey(companyId, { ...sending, creatorId: ownerId });
    const emailId = await schedule(`a@${name}`, restricted.token);

    await remove(id);

    expect(await lastEventOf(emailId)).toBe("canceled");
    const [row] = await db().select().from(apiKeys).where(eq(apiKeys.id, restricted.id));
    expect(row).toMatchObject({ domainId: null, revokedAt: expect.any(String) as string });
    expect(await audited("api_key.revoked")).toContainEqual({
      keyId: restricted.id,
      name: "Test key",
      canceledEmails: 1,
    });
    const body = { from: `a@${name}`, to: "b@example.org", subject: "Hello", text: "Hi" };
    expect(await call(emailsApi.send, { key: restricted.token, body })).toMatchObject({
      status: 403,
      body: { name: "invalid_api_key" },
    });
  });

  test("other emails scheduled from the domain fail when they are due", async () => {
    const { id, name } = await aDomain(companyId);
    const emailId = await schedule(`a@${name}`, key);

    await remove(id);
    expect(await lastEventOf(emailId)).toBe("scheduled");
    await db()
      .update(emails)
      .set({ dueAt: new Date(Date.now() - 1_000).toISOString() })
      .where(eq(emails.id, emailId));
    await processDueEmails(db());

    expect(await lastEventOf(emailId)).toBe("failed");
    expect(
      await db().select().from(emailEvents).where(eq(emailEvents.emailId, emailId)),
    ).toContainEqual(expect.objectContaining({ reason: "The sending domain was deleted" }));
  });

  test("emails sent from it stay readable and count for a deleted domain", async () => {
    const { id, name } = await aDomain(companyId);
    const email = { from: `a@${name}`, to: "b@example.org", subject: "Hello", text: "Hi" };
    const sent = (await call(emailsApi.send, { key, body: email })).body as { id: string };

    await remove(id);

    expect(await call(emailsApi.get, { key, params: sent })).toMatchObject({
      status: 200,
      body: { id: sent.id, from: `a@${name}` },
    });
    expect(await call(emailsApi.list, { key })).toMatchObject({ status: 200 });
    const { body } = await call(emailsApi.getMetrics, {
      key,
      query: { dimensions: "domain" },
    });
    const { data } = body as { data: { domain_id: string | null; domain_name: string | null }[] };
    expect(data.filter((entry) => entry.domain_id === null)).toMatchObject([{ domain_name: null }]);
    expect(data.map((entry) => entry.domain_id)).not.toContain(id);
  });

  test("frees the name for the same company and others", async () => {
    const { id, name } = await aDomain(companyId, { name: `again-${Date.now()}.test` });
    await remove(id);

    expect(await call(domainsApi.add, { key, body: { name } })).toMatchObject({ status: 200 });
  });

  test("concurrent deletions delete it once", async () => {
    const { id } = await aDomain(companyId);

    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(id)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
  });

  test("rejects a key that is created for it meanwhile", async () => {
    const { id } = await aDomain(companyId);
    const body = { name: "Shop", permission: "sending_access", domain_id: id };

    const { made, removed } = await db().transaction(async (tx) => {
      // The deletion waits for the row first, then the key's creation.
      await tx.select().from(domains).where(eq(domains.id, id)).for("update");
      const removed = remove(id);
      await untilBlocked(1);
      const made = call(apiKeysApi.create, { key, body });
      await untilBlocked(2);
      return { made, removed };
    });

    expect(await removed).toMatchObject({ status: 200 });
    expect(await made).toMatchObject({
      status: 422,
      body: { message: "domain_id: no such domain, or its ownership isn't verified" },
    });
  });
});
