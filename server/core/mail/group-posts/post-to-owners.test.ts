import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { admins, companies, domains, mailboxes, messages, people } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  ensurePlatform,
  ensurePlatformCompany,
} from "#server/core/domains/own-domain/own-domain.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aGroup, aMailbox, anAdmin } from "#server/testing/factories.ts";
import { aPost, copiesOf, reached } from "#server/testing/posts.ts";

import { postToOwners } from "./post-to-owners.ts";

const POSTMASTER = "postmaster@shop.example";
let companyId: string;
let domain: Awaited<ReturnType<typeof aDomain>>;

beforeEach(async () => {
  await db().delete(mailboxes);
  await db().delete(domains);
  await db().delete(companies);
  await db().delete(people);
  companyId = (await aCompany()).id;
  domain = await aDomain(companyId, { name: "shop.example" });
});

const anOwner = (email: string, of = companyId) =>
  anAdmin(of, { isOwner: true, email, name: email });
const post = (
  given?: Parameters<typeof aPost>[0],
  to = POSTMASTER,
  of: string | null = companyId,
) => postToOwners(db(), of, to, aPost(given));

test("delivers mail from any sender to the owners, local and external", async () => {
  await aMailbox(domain, { address: "ann@shop.example" });
  await aGroup(domain, {
    address: "board@shop.example",
    members: ["mia@outside.example"],
    posting: "members",
    moderation: "all",
  });
  for (const email of ["ann+owner@shop.example", "board@shop.example", "tom@outside.example"])
    await anOwner(email);
  await anAdmin(companyId, { email: "clerk@outside.example" });
  await anAdmin(companyId, {
    isOwner: true,
    email: "left@outside.example",
    disabledAt: new Date().toISOString(),
  });
  await anOwner("other@outside.example", (await aCompany()).id);
  const fields = [
    `Authentication-Results: ${config().hostname};\r\n\tspf=none; arc=none`,
    "From: MAILER-DAEMON@outside.example",
  ];
  const bounce = aPost({ sender: "", from: null, isFromVerified: false, fields });

  expect(await postToOwners(db(), companyId, POSTMASTER.toUpperCase(), bounce)).toEqual({
    kind: "distributed",
    recipients: 3,
  });

  const [here, outside] = await copiesOf(POSTMASTER);
  expect(here!.recipients).toEqual(["ann+owner@shop.example"]);
  expect(outside!.recipients).toEqual(["mia@outside.example", "tom@outside.example"]);
  expect(here!.text).toBe(
    `Delivered-To: ${POSTMASTER}\r\n${bounce.message.raw.toString("latin1")}`,
  );
  expect(outside!.text).toMatch(/^ARC-Seal: .* d=shop\.example;/);
  expect(outside!.text).not.toContain("List-");
  for (const copy of [here, outside])
    expect(copy).toMatchObject({ companyId, origin: "group", sender: "", isSenderTold: false });
});

test("the same post is idempotent, also concurrently; another address is another post", async () => {
  await anOwner("tom@outside.example");
  const same = aPost();
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => postToOwners(db(), companyId, POSTMASTER, same)),
  );
  expect(answers).toEqual(answers.map(() => ({ kind: "distributed", recipients: 1 })));
  await postToOwners(db(), companyId, "abuse@shop.example", same);
  expect(await reached(POSTMASTER)).toEqual(["tom@outside.example"]);
  expect(await reached("abuse@shop.example")).toEqual(["tom@outside.example"]);
});

test.each([
  ["delivered there before", [`Delivered-To: ${POSTMASTER}`]],
  ["51 servers passed", Array<string>(51).fill("Received: from a by b; x")],
])("rejects a loop: %s", async (_, fields) => {
  await anOwner("tom@outside.example");
  expect(await post({ fields })).toMatchObject({ kind: "refused", enhancedCode: "5.4.6" });
});

test("an owner at the postmaster address doesn't cause a loop", async () => {
  await anOwner(POSTMASTER);
  expect(await post()).toEqual({ kind: "distributed", recipients: 1 });
  const fields = [`Delivered-To: ${POSTMASTER}`];
  expect(await post({ fields })).toMatchObject({ kind: "refused", enhancedCode: "5.4.6" });
});

test("accepts 200 messages per hour, for all addresses together", async () => {
  await anOwner("tom@outside.example");
  const insert = (count: number, address: string, age = "1 minute") =>
    db().execute(sql`
      insert into messages (id, company_id, origin, group_address, sender, is_sender_told, size,
        recipient_count, created_at)
      select uuidv7(), ${companyId}, 'group', ${address}, '', false, 1, 1,
        now() - ${age}::interval
      from generate_series(1, ${count}::int)`);
  await insert(120, POSTMASTER);
  await insert(79, "abuse@other.example");
  await insert(50, POSTMASTER, "61 minutes");
  await insert(50, "team@shop.example");

  expect(await post()).toMatchObject({ kind: "distributed" });
  expect(await post()).toMatchObject({ kind: "refused", enhancedCode: "4.7.1" });
  const other = await aCompany();
  await anOwner("eve@outside.example", other.id);
  expect(await post({}, "abuse@third.example", other.id)).toMatchObject({ kind: "distributed" });
});

describe("mail to the hostname itself", () => {
  const HOST = "postmaster@mail.here.example";
  const toHost = () => post({}, HOST, null);
  const owned = async (purpose: "customer" | "sandbox", email: string, createdAt: string) => {
    const { id } = await aCompany({ purpose, createdAt });
    await anOwner(email, id);
    return id;
  };

  test("goes to operators, not to a customer, who could get a certificate for the hostname with it", async () => {
    const customer = await owned("customer", "older@outside.example", "2023-01-01T00:00:00Z");
    await anAdmin(companyId, { email: "operator@outside.example", isOperator: true });
    expect(await toHost()).toMatchObject({ kind: "distributed" });
    expect(await reached(HOST)).toEqual(["operator@outside.example"]);
    const [copy] = await copiesOf(HOST);
    const platform = await ensurePlatformCompany(db());
    expect(copy).toMatchObject({ companyId: platform });
    expect([customer, companyId]).not.toContain(platform);
  });

  test("without operators, goes to the owners of the oldest company that has owners", async () => {
    await owned("sandbox", "sandbox@outside.example", "2020-01-01T00:00:00Z");
    await owned("customer", "younger@outside.example", "2024-01-01T00:00:00Z");
    const oldest = await owned("customer", "older@outside.example", "2023-01-01T00:00:00Z");
    await db()
      .update(companies)
      .set({ createdAt: "2022-01-01T00:00:00Z" })
      .where(eq(companies.id, companyId));

    expect(await toHost()).toMatchObject({ kind: "distributed" });
    expect(await reached(HOST)).toEqual(["older@outside.example"]);
    expect((await copiesOf(HOST))[0]).toMatchObject({ companyId: oldest });
  });

  test("without operators and companies, goes to the sandbox's owners", async () => {
    await owned("sandbox", "sandbox@outside.example", "2020-01-01T00:00:00Z");
    expect(await toHost()).toMatchObject({ kind: "distributed" });
    expect(await reached(HOST)).toEqual(["sandbox@outside.example"]);
  });

  test("is also used for a company without owners, such as the appliance's own", async () => {
    const host = await owned("customer", "older@outside.example", "2023-01-01T00:00:00Z");
    const platform = await ensurePlatform(db(), {
      hostname: "mail.here.example",
      localMode: false,
    });
    expect(await post({}, HOST, platform.companyId)).toMatchObject({ kind: "distributed" });
    expect(await post()).toMatchObject({ kind: "distributed" });
    expect(await reached(HOST)).toEqual(["older@outside.example"]);
    expect(await db().$count(messages, eq(messages.companyId, host))).toBe(2);
  });

  test("is refused if there are no owners", async () => {
    await db().delete(admins);
    expect(await toHost()).toMatchObject({ kind: "refused", enhancedCode: "5.2.1" });
    expect(await post({}, HOST, randomUUID())).toMatchObject({
      kind: "refused",
      enhancedCode: "5.2.1",
    });
  });
});
