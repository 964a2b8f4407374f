import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { config } from "#server/config.ts";
import { MESSAGES_CHANNEL } from "#server/core/sending/messages/messages.ts";
import { db, pool } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import {
  addresses,
  groupMembers,
  mailboxSignIns,
  mailboxUsage,
  messageRecipients,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import { eq } from "drizzle-orm";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { call } from "#server/testing/call.ts";
import { aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import {
  aMailboxAdmin,
  invalidCursor,
  type MailboxAdmin,
  notFound,
  notPermitted,
  storedMailbox,
} from "#server/testing/mailbox-admin.ts";
import { mailboxesApi } from "./api.ts";

let dovecot: TestDovecot;
let admin: MailboxAdmin;
beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  admin = await aMailboxAdmin();
});

test("a new mailbox inherits nothing from an earlier one with the same address, not even late writes", async () => {
  const address = admin.at("again");
  await db().insert(mailboxUsage).values({ address, usedBytes: 5_000_000_000, messages: 12 });
  await db().insert(mailboxSignIns).values({ address, lastSignIn: 1_772_442_727 });
  await db().insert(signInNetworks).values({ account: address, network: "192.0.2.0/24" });
  expect((await admin.create({ email: address, name: "New" })).body).toMatchObject({
    used_bytes: 0,
    messages: 0,
    last_sign_in_at: null,
  });
  expect(await db().$count(signInNetworks, eq(signInNetworks.account, address))).toBe(0);
});

test("deleting a mailbox deletes its mail on hold", async () => {
  const { address: mailbox } = await aMailbox(admin.domain);
  const { companyId } = admin;
  const held = { companyId, mailbox, sender: mailbox, to: ["bob@x.test"], isHeld: true };
  const messageId = await anAcceptedMessage(held);
  const onWake = vi.fn();
  await pool().sql.listen(MESSAGES_CHANNEL, onWake);
  await call(mailboxesApi.delete, { key: await admin.ownersKey(), params: { email: mailbox } });
  // Forwards on hold are now returned to their mailbox.
  await vi.waitFor(() => expect(onWake).toHaveBeenCalled());
  const ofMessage = eq(messageRecipients.messageId, messageId);
  expect(await db().select().from(messageRecipients).where(ofMessage)).toMatchObject([
    { state: "dropped" },
  ]);
});

describe("GET /mailboxes/{email}", () => {
  test("returns the usage counted by Dovecot", async () => {
    const { address } = await aMailbox(admin.domain);
    await anAlias(admin.domain, address, admin.at("zoe"));
    await anAlias(admin.domain, address, admin.at("amy"));
    await db().insert(mailboxUsage).values({ address, usedBytes: 5_000_000_000, messages: 12 });
    await db().insert(mailboxSignIns).values({ address, lastSignIn: 1_772_442_727 });

    expect((await admin.get(address)).body).toMatchObject({
      used_bytes: 5_000_000_000,
      messages: 12,
      aliases: [admin.at("amy"), admin.at("zoe")],
      last_sign_in_at: "2026-03-02 09:12:07.000000+00",
    });
  });

  test("accepts the address in any case, and with a plus", async () => {
    const { address } = await aMailbox(admin.domain, { address: admin.at("ann+news") });
    expect((await admin.get(address.toUpperCase())).body).toMatchObject({ email: address });
  });

  test.each([
    "unknown@example.com",
    "no address",
    "\0",
    "a\0b@c.example",
    "Ann <ann@example.com>",
    "x".repeat(500),
  ])("returns not_found for %j", async (email) => {
    expect(await admin.get(email)).toMatchObject(notFound);
  });

  test("an alias, a tagged address and a group do not identify a mailbox", async () => {
    const { address } = await aMailbox(admin.domain, { address: admin.at("ann") });
    const others = [
      await anAlias(admin.domain, address),
      admin.at("ann+tag"),
      (await aGroup(admin.domain)).address,
    ];
    for (const email of others) expect(await admin.get(email)).toMatchObject(notFound);
  });
});

describe("another company's mailbox", () => {
  test("is not found", async () => {
    const other = await aMailboxAdmin();
    const { address } = await aMailbox(other.domain);
    const owner = await admin.ownersKey();

    expect(await admin.get(address)).toMatchObject(notFound);
    expect(await admin.patch(address, { active: false })).toMatchObject(notFound);
    const named = { params: { email: address } };
    expect(await call(mailboxesApi.resetPassword, { key: admin.key, ...named })).toMatchObject(
      notFound,
    );
    expect(await call(mailboxesApi.delete, { key: owner, ...named })).toMatchObject(notFound);
    expect(await admin.emailsOf()).toEqual([]);
    expect(
      await call(mailboxesApi.list, { key: admin.key, query: { after: address } }),
    ).toMatchObject(invalidCursor);
    expect((await admin.get(address, other.key)).body).toMatchObject({ active: true });
  });
});

describe("POST /mailboxes/{email}/password", () => {
  test("returns a temporary password and writes an audit entry", async () => {
    const { address, passwordHash } = await aMailbox(admin.domain);

    const { body } = await call(mailboxesApi.resetPassword, {
      key: admin.key,
      params: { email: address },
    });

    expect(body).toEqual({
      object: "mailbox",
      email: address,
      force_password_change: true,
      temporary_password: expect.stringMatching(/^\w{20}$/) as string,
    });
    const after = await storedMailbox(address);
    expect(after.forcePasswordChange).toBe(true);
    expect(after.passwordHash).not.toBe(passwordHash);
    expect(after.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const entries = await admin.audited();
    expect(entries).toMatchObject([{ action: "mailbox.password_reset" }]);
    const { temporary_password: password } = body as { temporary_password: string };
    expect(JSON.stringify(entries)).not.toContain(password);
  });
});

describe("DELETE /mailboxes/{email}", () => {
  test("requires an owner", async () => {
    const { address } = await aMailbox(admin.domain);
    expect(
      await call(mailboxesApi.delete, { key: admin.key, params: { email: address } }),
    ).toMatchObject(notPermitted);
  });

  test("deletes the mailbox and its aliases, but leaves group memberships", async () => {
    const owner = await admin.ownersKey();
    const { address } = await aMailbox(admin.domain);
    const stays = await aMailbox(admin.domain);
    const alias = await anAlias(admin.domain, address);
    const group = await aGroup(admin.domain, { members: [address] });
    await db().insert(mailboxUsage).values({ address, usedBytes: 5, messages: 1 });

    const params = { email: address.toUpperCase() };
    const { body } = await call(mailboxesApi.delete, { key: owner, params });

    expect(body).toEqual({ object: "mailbox", email: address, deleted: true });
    expect(await call(mailboxesApi.delete, { key: owner, params })).toMatchObject(notFound);
    const left = await db()
      .select()
      .from(addresses)
      .where(eq(addresses.companyId, admin.companyId));
    expect(left.map((row) => row.address).sort()).toEqual([stays.address, group.address].sort());
    const members = await db()
      .select()
      .from(groupMembers)
      .where(eq(groupMembers.groupAddress, group.address));
    expect(members).toMatchObject([{ member: address }]);
    expect(await admin.audited()).toMatchObject([
      { action: "mailbox.deleted", details: { mailbox: address, aliases: [alias] } },
    ]);
    // A new mailbox with the same address is empty and in the group, so its creation requires Manage groups. The old alias is available.
    const again = { body: { email: address, name: "Eve" } };
    expect(await call(mailboxesApi.create, { key: admin.key, ...again })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
    const { body: recreated } = await call(mailboxesApi.create, { key: owner, ...again });
    expect(recreated).toMatchObject({ used_bytes: 0, messages: 0, aliases: [] });
    expect((await admin.create({ email: alias, name: "Eve" })).status).toBe(200);
  });
});
