import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { config } from "#server/config.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { aMailbox, anApiKey } from "#server/testing/factories.ts";
import {
  aMailboxAdmin,
  invalid,
  type MailboxAdmin,
  notPermitted,
  storedMailbox,
} from "#server/testing/mailbox-admin.ts";
type Body = Record<string, unknown>;

let dovecot: TestDovecot;
let admin: MailboxAdmin;
beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  admin = await aMailboxAdmin();
});

describe("PATCH /mailboxes/{email}", () => {
  test("changes only the given fields and writes an audit entry", async () => {
    const { address } = await aMailbox(admin.domain, { name: "Ann" });
    const { body: before } = await admin.get(address);

    const { body } = await admin.patch(address.toUpperCase(), { name: " Eve ", quota_mb: 1024 });

    expect(body).toEqual({ ...(before as Body), name: "Eve", quota_mb: 1024 });
    expect(await admin.audited()).toMatchObject([
      {
        action: "mailbox.updated",
        details: { mailbox: address, changed: { name: { from: "Ann", to: "Eve" } } },
      },
    ]);
  });

  test("suspends and restores", async () => {
    const { address } = await aMailbox(admin.domain);
    expect((await admin.patch(address, { active: false })).body).toMatchObject({ active: false });
    const { suspendedAt } = await storedMailbox(address);
    expect((await admin.patch(address, { active: false })).body).toMatchObject({ active: false });
    expect((await storedMailbox(address)).suspendedAt).toBe(suspendedAt);
    expect((await admin.patch(address, { active: true })).body).toMatchObject({ active: true });
    expect((await admin.audited()).map(({ action }) => action)).toEqual([
      "mailbox.suspended",
      "mailbox.restored",
    ]);
  });

  test("caps a size at the plan's", async () => {
    await admin.setCompany({ quotaMbMax: 600 });
    const { address } = await aMailbox(admin.domain);
    expect((await admin.patch(address, { quota_mb: 900 })).body).toMatchObject({ quota_mb: 600 });
  });

  test.each([
    {},
    { more: 1 },
    { name: "" },
    { name: " " },
    { name: null },
    { name: 7 },
    { name: "x".repeat(121) },
    { quota_mb: 255 },
    { quota_mb: "512" },
    { quota_mb: null },
    { active: "false" },
    { active: null },
    { force_password_change: 1 },
    [],
  ])("rejects %j", async (body) => {
    const { address } = await aMailbox(admin.domain);
    expect(await admin.patch(address, body)).toMatchObject(invalid);
  });

  const fields: [string, Body, Privilege][] = [
    ["name", { name: "Eve" }, "update_users"],
    ["quota_mb", { quota_mb: 512 }, "update_users"],
    ["active", { active: false }, "suspend_users"],
    ["force_password_change", { force_password_change: true }, "reset_user_passwords"],
  ];
  test.each(fields)("%s requires its own privilege and no other", async (_, change, privilege) => {
    const { address } = await aMailbox(admin.domain);
    const without = UNIT_PRIVILEGES.filter((other) => other !== privilege);
    const weak = (await anApiKey(admin.companyId, { privileges: without })).token;
    const strong = (await anApiKey(admin.companyId, { privileges: [privilege] })).token;
    const { body: before } = await admin.get(address);

    expect(await admin.patch(address, change, weak)).toMatchObject(notPermitted);
    const all = { name: "Eve", quota_mb: 512, active: false, force_password_change: true };
    expect(await admin.patch(address, all, weak)).toMatchObject(notPermitted);
    expect((await admin.get(address)).body).toEqual(before);
    expect((await admin.patch(address, change, strong)).body).toMatchObject(change);
  });
});
