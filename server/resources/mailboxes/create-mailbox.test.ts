import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { domains } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import { aMailboxAdmin, invalid, type MailboxAdmin } from "#server/testing/mailbox-admin.ts";

let dovecot: TestDovecot;
let admin: MailboxAdmin;
beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  admin = await aMailboxAdmin();
});

describe("POST /mailboxes", () => {
  test("creates a mailbox in the root unit, in lowercase, with a temporary password shown once", async () => {
    const email = `Ann.B+c_d-e@${admin.domain.name.toUpperCase()}`;

    const { status, body } = await admin.create({ email, name: " Ann Smith " });

    const { temporary_password: password, ...rest } = body;
    expect(status).toBe(200);
    expect(rest).toEqual({
      object: "mailbox",
      email: email.toLowerCase(),
      name: "Ann Smith",
      domain: admin.domain.name,
      active: true,
      quota_mb: 5120,
      used_bytes: 0,
      messages: 0,
      force_password_change: true,
      org_unit: { id: expect.any(Number) as number, name: "Example Ltd" },
      aliases: [],
      last_sign_in_at: null,
    });
    expect(password).toMatch(/^[a-km-zA-HJ-NP-Z2-9]{20}$/);
    expect((await admin.get(email)).body).toEqual(rest);
  });

  test("writes an audit entry with the key's name, without the password", async () => {
    const { body } = await admin.create({ email: admin.at("ann"), name: "Ann" });

    const [entry] = await admin.audited();
    expect(entry).toMatchObject({
      action: "mailbox.created",
      details: { mailbox: admin.at("ann"), name: "Ann" },
    });
    expect(JSON.stringify(entry)).not.toContain(body.temporary_password);
  });

  test.each([
    [{ name: "Ann Smith", first_name: "Eve" }, "Ann Smith"],
    [{ first_name: "Ann", last_name: "Smith" }, "Ann Smith"],
    [{ name: "", first_name: " Ann " }, "Ann"],
    [{ name: "x".repeat(120) }, "x".repeat(120)],
    [
      { first_name: "x".repeat(60), last_name: "y".repeat(60) },
      `${"x".repeat(60)} ${"y".repeat(60)}`,
    ],
  ])("returns %j as %j", async (given, name) => {
    expect((await admin.create({ email: admin.at("ann"), ...given })).body.name).toBe(name);
  });

  test.each([
    ["no email", { email: undefined, name: "Ann" }],
    ["an empty email", { email: " ", name: "Ann" }],
    ["an email of null", { email: null, name: "Ann" }],
    ["no name", {}],
    ["empty names", { name: "", first_name: " " }],
    ["a name of null", { name: null }],
    ["a last name only", { last_name: "Smith" }],
  ])("reports %s as a missing field", async (_, body) => {
    expect(await admin.create({ email: admin.at("ann"), ...body })).toMatchObject({
      status: 422,
      body: { name: "missing_required_field" },
    });
  });

  test.each([
    ".ann",
    "ann.",
    "-ann",
    "ann_",
    "+ann",
    "an n",
    "ann!",
    "a..b",
    "änn",
    "x".repeat(65),
    "",
    "Ann <ann",
    "a/../b",
    "a/b",
    "a\\b",
    "a%b",
  ])("rejects the local part %j", async (localPart) => {
    expect(await admin.create({ email: admin.at(localPart), name: "Ann" })).toMatchObject({
      status: 422,
    });
  });

  test.each([
    "a",
    "7",
    "a".repeat(64),
    "a.b",
    "a_b",
    "a-b",
    "a+b",
    "postmaster",
    "abuse",
    "bounce",
  ])("accepts the local part %j", async (localPart) => {
    expect((await admin.create({ email: admin.at(localPart), name: "Ann" })).status).toBe(200);
  });

  test("rejects the mail server's own addresses", async () => {
    const { hostname } = config();
    await aDomain(admin.companyId, { name: hostname });
    for (const localPart of ["reports", "bounce", "bounce+x"])
      expect(await admin.create({ email: `${localPart}@${hostname}`, name: "Ann" })).toMatchObject(
        invalid,
      );
  });

  test.each([
    ["name", 7],
    ["name", "x".repeat(121)],
    ["name", "a\nb"],
    ["name", "a\u2028b"],
    ["first_name", "x".repeat(61)],
    ["last_name", "x".repeat(61)],
    ["quota_mb", 255],
    ["quota_mb", 51_201],
    ["quota_mb", 512.5],
    ["quota_mb", "512"],
    ["org_unit_id", 2_000_000_000],
    ["org_unit_id", 9_000_000_000],
    ["org_unit_id", -1],
    ["org_unit_id", "1"],
    ["email", 7],
    ["email", ["a@b.example"]],
  ])("rejects %s %j", async (field, value) => {
    const body = { email: admin.at("ann"), name: "Ann", [field]: value };
    expect(await admin.create(body)).toMatchObject(invalid);
  });

  test("rejects another company's unit and domain, and a domain without verified ownership", async () => {
    const other = await aMailboxAdmin();
    const { body } = await admin.create({ email: `x@${other.domain.name}`, name: "X" }, other.key);
    const { id } = body.org_unit as { id: number };
    const unproven = await aDomain(admin.companyId, {
      ownershipProvenAt: null,
      status: "not_started",
    });

    const there = { email: admin.at("ann"), name: "Ann", org_unit_id: id };
    expect(await admin.create(there)).toMatchObject(invalid);
    for (const { name } of [other.domain, unproven, { name: "nobodys.example" }])
      expect(await admin.create({ email: `ann@${name}`, name: "Ann" })).toMatchObject(invalid);
  });

  test("rejects a domain that isn't verified; its mailboxes stay", async () => {
    const { id, name } = await aDomain(admin.companyId);
    expect((await admin.create({ email: `ann@${name}`, name: "Ann" })).status).toBe(200);
    await db().update(domains).set({ status: "partially_verified" }).where(eq(domains.id, id));
    expect(await admin.create({ email: `bob@${name}`, name: "Bob" })).toMatchObject({
      ...invalid,
      body: {
        message: expect.stringMatching(
          /^email: .* is not a verified domain of the company$/,
        ) as string,
      },
    });
    expect((await admin.get(`ann@${name}`)).status).toBe(200);
    expect((await admin.patch(`ann@${name}`, { name: "Eve" })).status).toBe(200);
  });

  test("uses the company's default size or the requested one, capped at the plan's size", async () => {
    await admin.setCompany({ defaultQuotaMb: 700 });
    expect((await admin.create({ email: admin.at("a"), name: "A" })).body.quota_mb).toBe(700);
    expect(
      (await admin.create({ email: admin.at("b"), name: "B", quota_mb: 51_200 })).body.quota_mb,
    ).toBe(51_200);
    await admin.setCompany({ quotaMbMax: 500 });
    expect(
      (await admin.create({ email: admin.at("c"), name: "C", quota_mb: 512 })).body.quota_mb,
    ).toBe(500);
    expect((await admin.create({ email: admin.at("d"), name: "D" })).body.quota_mb).toBe(500);
    expect(
      (await admin.create({ email: admin.at("e"), name: "E", quota_mb: 400 })).body.quota_mb,
    ).toBe(400);
  });

  test("rejects without a subscription, and beyond the plan's mailboxes", async () => {
    await admin.setCompany({ subscriptionActive: false });
    expect(await admin.create({ email: admin.at("ann"), name: "Ann" })).toMatchObject({
      status: 403,
      body: { name: "account_inactive" },
    });
    await admin.setCompany({ subscriptionActive: true, mailboxesMax: 1 });
    expect((await admin.create({ email: admin.at("ann"), name: "Ann" })).status).toBe(200);
    expect(await admin.create({ email: admin.at("bob"), name: "Bob" })).toMatchObject({
      status: 403,
      body: { name: "validation_error" },
    });
  });

  test("rejects an address already used by a mailbox, alias or group of any company", async () => {
    const mailbox = await aMailbox(admin.domain, { address: admin.at("mailbox") });
    await anAlias(admin.domain, mailbox.address, admin.at("alias"));
    await aGroup(admin.domain, { address: admin.at("group") });
    for (const name of ["Mailbox", "alias", "group"])
      expect(await admin.create({ email: admin.at(name), name })).toMatchObject({
        status: 409,
        body: { name: "already_exists" },
      });
  });

  test("names the limit that a long address exceeds", async () => {
    expect(await admin.create({ email: admin.at("a".repeat(65)), name: "Ann" })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("at most 64 characters before the @") as string },
    });
    expect(await admin.create({ email: admin.at("a".repeat(64)), name: "Ann" })).toMatchObject({
      status: 200,
    });
  });

  test("of twenty concurrent requests for an address one succeeds", async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        admin.create({ email: admin.at("ann"), name: `Ann ${i}` }),
      ),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
  });

  test("ten concurrent requests do not exceed the plan", async () => {
    await admin.setCompany({ mailboxesMax: 3 });
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) => admin.create({ email: admin.at(`u${i}`), name: "U" })),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await admin.emailsOf()).toHaveLength(3);
  });

  test("rejects a body over 64 KB", async () => {
    const body = { email: admin.at("ann"), name: "Ann", more: "x".repeat(64 * 1024) };
    expect(await admin.create(body)).toMatchObject({
      status: 413,
      body: { name: "payload_too_large" },
    });
  });
});
