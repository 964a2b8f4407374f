import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { addresses, auditEntries, mailboxes } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot } from "#server/testing/a-dovecot.ts";
import { call } from "#server/testing/call.ts";
import { aMailbox, anAlias } from "#server/testing/factories.ts";
import { aMailboxAdmin } from "#server/testing/mailbox-admin.ts";

import { groupsApi } from "#server/resources/groups.ts";

import { aliasesApi } from "./aliases.ts";
import { mailboxesApi } from "./api.ts";

test("while Dovecot is down, reads and changes fail, and other errors come first", async () => {
  const admin = await aMailboxAdmin();
  const key = admin.key;
  const owner = await admin.ownersKey();
  const { address: email } = await aMailbox(admin.domain);
  const alias = await anAlias(admin.domain, email);
  const params = { email };
  const readings = [() => admin.get(email), () => call(mailboxesApi.list, { key })];
  const changes = [
    () => admin.create({ email: admin.at("new"), name: "New" }),
    () => admin.patch(email, { name: "Eve" }),
    () => admin.patch(email, { active: false }),
    () => call(mailboxesApi.resetPassword, { key, params }),
    () => call(aliasesApi.add, { key, params, body: { address: admin.at("alias") } }),
    () => call(aliasesApi.remove, { key, params: { email, address: alias } }),
    () => call(mailboxesApi.delete, { key: owner, params }),
  ];
  const state = async () => [
    await db().select().from(mailboxes).where(eq(mailboxes.companyId, admin.companyId)),
    await db().select().from(addresses).where(eq(addresses.companyId, admin.companyId)),
    await db().$count(auditEntries, eq(auditEntries.companyId, admin.companyId)),
  ];
  const before = await state();

  const dovecot = await aDovecot({ givenFolder: config().dataFolder });
  for (const read of readings) expect((await read()).status).toBe(200);
  await dovecot.running.stop();
  for (const read of readings)
    expect(await read()).toMatchObject({ status: 500, body: { name: "application_error" } });
  for (const change of changes)
    expect(await change()).toMatchObject({
      status: 502,
      body: {
        name: "mail_server_error",
        message: expect.stringMatching(/^The mail server rejected the change: E[A-Z]+$/) as string,
      },
    });
  expect(await state()).toEqual(before);
  const refused = [
    [() => admin.create({ email: admin.at("new") }), 422],
    [() => admin.create({ email: "new@nobodys.example", name: "New" }), 422],
    [() => admin.create({ email, name: "New" }), 409],
    [() => admin.patch(admin.at("invalid"), { name: "Eve" }), 404],
    [() => admin.patch(email, { quota_mb: 1 }), 422],
    [() => call(mailboxesApi.resetPassword, { key, params: { email: admin.at("invalid") } }), 404],
    [() => call(aliasesApi.add, { key, params, body: { address: alias } }), 409],
    [() => call(aliasesApi.remove, { key, params: { email, address: email } }), 404],
    [() => call(mailboxesApi.delete, { key: owner, params: { email: admin.at("invalid") } }), 404],
    [() => call(mailboxesApi.delete, { key, params }), 403],
    [() => call(groupsApi.create, { key: owner, body: { address: email } }), 409],
    [() => call(groupsApi.delete, { key: owner, params: { address: email } }), 404],
  ] as const;
  for (const [change, status] of refused) expect((await change()).status).toBe(status);
  await dovecot.stop();

  const again = await aDovecot({ givenFolder: config().dataFolder });
  for (const act of [...readings, ...changes]) expect((await act()).status).toBe(200);
  await again.stop();
});
