import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { type Mailbox, mailboxRules } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { call } from "#server/testing/call.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aDomain, aGroup, aMailbox, anAlias, anApiKey } from "#server/testing/factories.ts";
import {
  aMailboxAdmin,
  invalid,
  type MailboxAdmin,
  notFound,
  notPermitted,
} from "#server/testing/mailbox-admin.ts";

import { aliasesApi } from "./aliases.ts";

let dovecot: TestDovecot;
let admin: MailboxAdmin;
let mailbox: Mailbox;
beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  admin = await aMailboxAdmin();
  mailbox = await aMailbox(admin.domain);
});

const add = (address: unknown, email = mailbox.address, key = admin.key) =>
  call(aliasesApi.add, { key, params: { email }, body: { address } });
const remove = (address: string, email = mailbox.address, key = admin.key) =>
  call(aliasesApi.remove, { key, params: { email, address } });
const list = (email = mailbox.address, key = admin.key) =>
  call(aliasesApi.list, { key, params: { email } });
const taken = { status: 409, body: { name: "already_exists" } };
const aliasNotFound = { status: 404, body: { name: "not_found", message: "Alias not found" } };

describe("POST /mailboxes/{email}/aliases", () => {
  test("adds an address to the mailbox, which receives mail immediately, and writes an audit entry", async () => {
    const address = admin.at("sales");

    const { body } = await add(address.toUpperCase(), mailbox.address.toUpperCase());

    expect(body).toEqual({ object: "alias", address, mailbox: mailbox.address, active: true });
    expect(await deliver(dovecot.lmtpSocket, address)).toMatch(/^250 2\.0\.0/);
    expect((await admin.get(mailbox.address)).body).toMatchObject({
      aliases: [address],
      messages: 1,
    });
    expect(await admin.audited()).toEqual([
      { action: "alias.added", details: { alias: address, mailbox: mailbox.address } },
    ]);
  });

  test("requires the privilege to manage groups for an address that a group names", async () => {
    const helpdesk = await anApiKey(admin.companyId, { privileges: ["update_users"] });
    const { address: board } = await aGroup(admin.domain, {
      members: [admin.at("former-member"), admin.at("former-tag+x")],
      posters: [admin.at("former-poster"), `@${admin.domain.name}`],
      moderators: [admin.at("former-moderator")],
    });
    const named = ["former-member", "former-tag", "former-poster", "former-moderator"].map(
      admin.at,
    );
    for (const address of [...named, `*@${admin.domain.name}`]) {
      const refused = await add(address, mailbox.address, helpdesk.token);
      expect(refused).toMatchObject({ status: 403, body: { name: "invalid_permission" } });
      expect(JSON.stringify(refused.body)).toContain(board);
    }
    expect((await list()).body).toMatchObject({ data: [] });
    expect((await add(admin.at("free"), mailbox.address, helpdesk.token)).status).toBe(200);

    const privileges = ["update_users", "manage_groups"] as const;
    const both = (await anApiKey(admin.companyId, { privileges: [...privileges] })).token;
    for (const address of named)
      expect((await add(address, mailbox.address, both)).status).toBe(200);
    // Groups of other companies don't count.
    const theirs = await aMailboxAdmin();
    await aGroup(theirs.domain, { members: [admin.at("elsewhere")] });
    expect((await add(admin.at("elsewhere"), mailbox.address, helpdesk.token)).status).toBe(200);
  });

  test("requires the privilege to reset the password of a mailbox that forwards to the address", async () => {
    const { address } = await aMailbox(admin.domain);
    const forwardTo = [admin.at("former")];
    await db().insert(mailboxRules).values({ mailbox: address, forwardTo, scriptId: "x" });
    const helpdesk = (await anApiKey(admin.companyId, { privileges: ["update_users"] })).token;
    const refused = await add(admin.at("former"), mailbox.address, helpdesk);
    expect(refused).toMatchObject({ status: 403, body: { name: "invalid_permission" } });
    expect(JSON.stringify(refused.body)).toContain(address);
    expect((await add(admin.at("former"))).status).toBe(200);
  });

  test("adds a catch-all, which receives mail to addresses that don't exist; exact addresses take precedence", async () => {
    const { address: ann } = await aMailbox(admin.domain, { address: admin.at("b") });
    expect((await add(admin.at("*").toUpperCase())).body).toMatchObject({ address: admin.at("*") });
    expect(await add(admin.at("*"), ann)).toMatchObject(taken);

    for (const name of ["nobody", "nobody+tag", "a"])
      expect(await deliver(dovecot.lmtpSocket, admin.at(name))).toMatch(/^250 2\.0\.0/);
    await deliver(dovecot.lmtpSocket, ann);
    const counted = async (email: string) => (await admin.get(email)).body;
    expect(await counted(mailbox.address)).toMatchObject({ messages: 3 });
    expect(await counted(ann)).toMatchObject({ messages: 1 });

    expect((await remove(admin.at("*"))).status).toBe(200);
    expect(await deliver(dovecot.lmtpSocket, admin.at("nobody"))).toMatch(/^550 5\.1\.1/);
  });

  test("adds an address in another domain of the company", async () => {
    const { name } = await aDomain(admin.companyId);
    expect((await add(`sales@${name}`)).status).toBe(200);
  });

  test.each([undefined, null, "", " "])(
    "returns missing_required_field for the address %j",
    async (address) => {
      expect(await add(address)).toMatchObject({
        status: 422,
        body: { name: "missing_required_field" },
      });
    },
  );

  test("rejects invalid addresses, the mailbox's own address, and addresses in unverified or foreign domains", async () => {
    const unproven = await aDomain(admin.companyId, { ownershipProvenAt: null });
    const other = await aMailboxAdmin();
    const addresses = [
      7,
      "sales",
      "*",
      "*@",
      admin.at("*x"),
      admin.at(".x"),
      admin.at("a b"),
      `Sales <${admin.at("sales")}>`,
    ];
    const unverified = await aDomain(admin.companyId, { status: "pending" });
    const elsewhere = [
      `sales@${unproven.name}`,
      `sales@${unverified.name}`,
      other.at("sales"),
      other.at("*"),
      "sales@nobodys.example",
    ];
    for (const address of [...addresses, ...elsewhere, mailbox.address.toUpperCase()])
      expect(await add(address)).toMatchObject(invalid);
  });

  test("rejects an address that is a mailbox, an alias or a group, and says which", async () => {
    const other = await aMailbox(admin.domain);
    const group = await aGroup(admin.domain);
    const alias = await anAlias(admin.domain, mailbox.address);
    for (const [address, kind] of [
      [other.address, "a mailbox"],
      [group.address, "a group"],
      [alias, "an alias"],
    ] as const) {
      const message = expect.stringContaining(`${address} is already ${kind}`) as string;
      expect(await add(address)).toMatchObject({ status: 409, body: { message } });
    }
  });

  test("gives an address to only one of the aliases and mailboxes created with it at the same time", async () => {
    const address = admin.at("wanted");
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        i % 2 === 0 ? add(address) : admin.create({ email: address, name: "Wanted" }),
      ),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
    expect([...(await resolveRecipients(db(), [address])).keys()]).toEqual([address]);
  });

  test("rejects a body over 64 KB", async () => {
    expect(await add("x".repeat(64 * 1024))).toMatchObject({ status: 413 });
  });
});

describe("GET /mailboxes/{email}/aliases", () => {
  test("lists all aliases of the mailbox by address, on one page", async () => {
    const names = Array.from({ length: 25 }, (_, i) => `a${String(i).padStart(2, "0")}`);
    for (const name of names.toReversed())
      await anAlias(admin.domain, mailbox.address, admin.at(name));
    await anAlias(admin.domain, (await aMailbox(admin.domain)).address);

    const { body } = await list(mailbox.address.toUpperCase());

    expect(body).toEqual({
      object: "list",
      has_more: false,
      data: names.map((name) => ({
        object: "alias",
        address: admin.at(name),
        mailbox: mailbox.address,
        active: true,
      })),
    });
  });
});

describe("DELETE /mailboxes/{email}/aliases/{address}", () => {
  test("removes the address: its mail is rejected, and it can be used again", async () => {
    const address = await anAlias(admin.domain, mailbox.address, admin.at("sales"));

    const { body } = await remove(address.toUpperCase());

    expect(body).toEqual({ object: "alias", address, mailbox: mailbox.address, deleted: true });
    expect(await deliver(dovecot.lmtpSocket, address)).toMatch(/^550 5\.1\.1/);
    expect(await remove(address)).toMatchObject(aliasNotFound);
    expect(await admin.audited()).toMatchObject([{ action: "alias.removed" }]);
    expect((await add(address)).status).toBe(200);
  });

  test("returns not_found for another mailbox's alias, an unknown mailbox and invalid addresses", async () => {
    const other = await aMailbox(admin.domain);
    const alias = await anAlias(admin.domain, other.address);
    for (const address of [alias, other.address, mailbox.address, "x", "\0"])
      expect(await remove(address)).toMatchObject(aliasNotFound);
  });
});

test("returns not_found for another company's aliases", async () => {
  const other = await aMailboxAdmin();
  const alias = await anAlias(admin.domain, mailbox.address);
  const named = [mailbox.address, other.key] as const;
  expect(await list(...named)).toMatchObject(notFound);
  expect(await add(other.at("x"), ...named)).toMatchObject(notFound);
  expect(await remove(alias, ...named)).toMatchObject(notFound);
  const { address } = await aMailbox(other.domain);
  expect(await remove(alias, address, other.key)).toMatchObject(aliasNotFound);
});

test("listing aliases requires View users; adding and removing them requires Update users", async () => {
  const keyWith = async (privilege: "view_users" | "update_users") =>
    (await anApiKey(admin.companyId, { privileges: [privilege] })).token;
  const [viewer, updater] = [await keyWith("view_users"), await keyWith("update_users")];
  const address = admin.at("sales");
  expect(await add(address, mailbox.address, viewer)).toMatchObject(notPermitted);
  expect(await list(mailbox.address, updater)).toMatchObject(notPermitted);
  expect((await add(address, mailbox.address, updater)).status).toBe(200);
  expect(await remove(address, mailbox.address, viewer)).toMatchObject(notPermitted);
  expect((await list(mailbox.address, viewer)).status).toBe(200);
  expect((await remove(address, mailbox.address, updater)).status).toBe(200);
});
