import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import {
  addresses,
  auditEntries,
  mailboxRules,
  type MailFilter,
  orgUnits,
  type Vacation,
} from "#drizzle/schema/index.ts";
import { deleteDomain } from "#server/core/domains/domains/deleted-domains.ts";
import type { Refusal } from "#server/core/shared/refusals.ts";
import { db } from "#server/db/pool.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  allowForwarding,
  aMailbox,
  anAlias,
} from "#server/testing/factories.ts";

import { getRules, NO_RULES, refreshRules, saveRules } from "./mailbox-rules.ts";

async function aPerson() {
  const company = await aCompany();
  const domain = await aDomain(company.id);
  const { address, orgUnitId } = await aMailbox(domain);
  await allowForwarding(company.id);
  return { ctx: aContext(company.id), domain, address, orgUnitId };
}

const storedOf = async (address: string) =>
  (await db().select().from(mailboxRules).where(eq(mailboxRules.mailbox, address)))[0];

const vacation: Vacation = {
  isOn: true,
  subject: " Away ",
  text: "Back\r\nsoon ",
  startsOn: null,
  endsOn: null,
  timeZone: "Europe/Berlin",
};

const filter: MailFilter = {
  name: "Bills",
  isOn: true,
  match: "all",
  conditions: [{ field: "subject", test: "contains", value: "invoice" }],
  action: { kind: "file", folder: "Bills / 2026" },
};

test("changes parts of the rules, compiles all of them and audits the change", async () => {
  const { ctx, address } = await aPerson();
  expect(await getRules(ctx, address)).toEqual(NO_RULES);

  await saveRules(ctx, address, { forwardTo: ["Ben <Ben@Example.ORG>", "ben@example.org"] });
  await saveRules(ctx, address, { vacation });
  await saveRules(ctx, address, { filters: [filter] });

  expect(await getRules(ctx, address)).toEqual({
    forwardTo: ["ben@example.org"],
    keepCopy: true,
    vacation: { ...vacation, subject: "Away", text: "Back\nsoon" },
    filters: [{ ...filter, action: { kind: "file", folder: "Bills/2026" } }],
  });
  const { script } = (await storedOf(address))!;
  expect(script).toMatch(/redirect :copy "ben@example\.org"/);
  expect(script).toMatch(/fileinto :create "Bills\/2026"/);
  expect(script).toMatch(/vacation :days 7 :subject "Away"/);

  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, ctx.companyId));
  expect(entries.map(({ action }) => action)).toEqual(Array(3).fill("mailbox_rules.updated"));
  expect(JSON.stringify(entries)).not.toContain("soon");
});

test("changes the script's id only with the script", async () => {
  const { ctx, address } = await aPerson();
  await saveRules(ctx, address, { forwardTo: ["ben@example.org"] });
  const first = (await storedOf(address))!.scriptId;
  await saveRules(ctx, address, { forwardTo: ["ben@example.org"] });
  expect((await storedOf(address))!.scriptId).toBe(first);
  await saveRules(ctx, address, { forwardTo: [] });
  expect(await storedOf(address)).toMatchObject({ script: "" });
  expect((await storedOf(address))!.scriptId).not.toBe(first);
});

test("keeps both of two concurrent changes to different parts", async () => {
  for (let round = 0; round < 10; round++) {
    const { ctx, address } = await aPerson();
    await saveRules(ctx, address, { keepCopy: true });
    await Promise.all([
      saveRules(ctx, address, { forwardTo: ["ben@example.org"] }),
      saveRules(ctx, address, { vacation }),
      saveRules(ctx, address, { filters: [filter] }),
    ]);
    expect((await storedOf(address))!.script).toMatch(/fileinto[^]*redirect[^]*vacation/);
  }
});

test("rejects filters that were changed from outdated ones", async () => {
  const { ctx, address } = await aPerson();
  const { filters } = await saveRules(ctx, address, { filters: [filter] }, { filters: [] });
  const other = { ...filter, name: "Other" };
  await expect(
    saveRules(ctx, address, { filters: [other] }, { filters: [] }),
  ).rejects.toMatchObject({ reason: "resource_in_use" });
  await saveRules(ctx, address, { filters: [] }, { filters });
  expect((await getRules(ctx, address)).filters).toEqual([]);
});

test("names all invalid fields of a filter", async () => {
  const { ctx, address } = await aPerson();
  const [condition] = filter.conditions;
  const bad: MailFilter = {
    ...filter,
    name: "",
    conditions: [condition!, { ...condition!, value: "" }],
    action: { kind: "file", folder: ".." },
  };
  const saving = saveRules(ctx, address, { filters: [filter, bad] });
  const error = await saving.catch((error: unknown) => error as Refusal);
  expect((error as Refusal).fields.map(({ path }) => path)).toEqual([
    "filters[1].name",
    "filters[1].conditions[1].value",
    "filters[1].action.folder",
  ]);
});

test("replies to mail sent to a new alias", async () => {
  const { ctx, domain, address } = await aPerson();
  await refreshRules(ctx, address);
  expect(await storedOf(address)).toBeUndefined();
  await saveRules(ctx, address, { vacation });
  const alias = await anAlias(domain, address);
  await refreshRules(ctx, address);
  expect((await storedOf(address))!.script).toContain(`:addresses ["${address}", "${alias}"]`);
});

test("aliases that are deleted with their domain get no vacation replies", async () => {
  const { ctx, address } = await aPerson();
  const other = await aDomain(ctx.companyId);
  const alias = await anAlias(other, address);
  await saveRules(ctx, address, { vacation });
  expect((await storedOf(address))!.script).toContain(alias);
  await deleteDomain(ctx, other.id, { via: "console" });
  expect((await storedOf(address))!.script).toContain(`:addresses ["${address}"]`);
});

test("rejects reading or changing another company's rules", async () => {
  const { address } = await aPerson();
  const other = (await aPerson()).ctx;
  await expect(getRules(other, address)).rejects.toMatchObject({ reason: "not_found" });
  await expect(saveRules(other, address, { keepCopy: false })).rejects.toMatchObject({
    reason: "not_found",
  });
  expect(await storedOf(address)).toBeUndefined();
});

test("rejects forwarding to the mailbox itself or its aliases", async () => {
  const { ctx, domain, address } = await aPerson();
  const alias = await anAlias(domain, address);
  for (const own of [address, address.toUpperCase(), alias, address.replace("@", "+tag@")])
    await expect(saveRules(ctx, address, { forwardTo: [own] })).rejects.toMatchObject({
      reason: "invalid",
    });
});

test("rejects forwarding to external addresses if the policy forbids writing to them", async () => {
  const { ctx, domain, address, orgUnitId } = await aPerson();
  await db().update(orgUnits).set({ outsideAllowed: false }).where(eq(orgUnits.id, orgUnitId));
  const colleague = (await aMailbox(domain)).address;
  await saveRules(ctx, address, { forwardTo: [colleague] });
  await expect(
    saveRules(ctx, address, { forwardTo: [colleague, "ben@example.org"] }),
  ).rejects.toMatchObject({
    reason: "not_allowed",
    message: expect.stringMatching(/ben@/) as string,
  });
});

test("marks new forwarding addresses that don't exist at the company's domains; one whose mailbox was deleted later stays", async () => {
  const { ctx, domain, address } = await aPerson();
  const colleague = (await aMailbox(domain)).address;
  const group = (await aGroup(domain)).address;
  const typo = colleague.replace("@", "x@");
  await expect(
    saveRules(ctx, address, { forwardTo: [colleague, typo, group, `Zoe <y${typo}>`] }),
  ).rejects.toMatchObject({
    reason: "invalid",
    fields: [{ path: "forward_to[1]" }, { path: "forward_to[3]" }],
  });
  expect(await storedOf(address)).toBeUndefined();
  const others = await aDomain((await aCompany()).id);
  const elsewhere = `nobody@${others.name}`;
  const forwardTo = [colleague, colleague.replace("@", "+tag@"), group, elsewhere];
  await saveRules(ctx, address, { forwardTo });
  await db().delete(addresses).where(eq(addresses.address, colleague));
  await saveRules(ctx, address, { forwardTo: [...forwardTo, "ben@example.org"] });
});

const many = (length: number) => Array.from({ length }, (_, at) => `p${at}@example.org`);

test.each<[string, Parameters<typeof saveRules>[2]]>([
  ["no address", { forwardTo: ["ben"] }],
  ["six addresses", { forwardTo: many(6) }],
  ["a line in an address", { forwardTo: ["ben@example.org\r\nx: y"] }],
  ["no subject", { vacation: { ...vacation, subject: " " } }],
  ["a subject of two lines", { vacation: { ...vacation, subject: "a\nb" } }],
  ["NUL in the text", { vacation: { ...vacation, text: "a\0b" } }],
  ["half a character", { vacation: { ...vacation, text: "\ud800" } }],
  ["a nonexistent day", { vacation: { ...vacation, startsOn: "2026-02-30" } }],
  [
    "days in the wrong order",
    { vacation: { ...vacation, startsOn: "2026-02-03", endsOn: "2026-02-02" } },
  ],
  ["an unknown time zone", { vacation: { ...vacation, timeZone: "Moon/Base" } }],
  ["an ambiguous abbreviation of a time zone", { vacation: { ...vacation, timeZone: "IST" } }],
  ["no condition", { filters: [{ ...filter, conditions: [] }] }],
  ["no name", { filters: [{ ...filter, name: "" }] }],
  ["too many filters", { filters: Array<MailFilter>(51).fill(filter) }],
  ...[
    "",
    "..",
    "a//b",
    "/a",
    "~x",
    "a%",
    "a/*",
    "a\nb",
    "dbox-Mails",
    "a/dbox-Mails",
    "ж".repeat(95),
    "文".repeat(100),
    "ü".repeat(130),
    "😀".repeat(48),
    "&".repeat(128),
    `Bills/${"ж".repeat(95)}`,
  ].map((folder): [string, Parameters<typeof saveRules>[2]] => [
    `the folder ${JSON.stringify(folder)}`,
    { filters: [{ ...filter, action: { kind: "file", folder } }] },
  ]),
])("rejects %s", async (_, change) => {
  const { ctx, address } = await aPerson();
  await expect(saveRules(ctx, address, change)).rejects.toMatchObject({ reason: "invalid" });
  expect(await storedOf(address)).toBeUndefined();
});

test("accepts an incomplete reply that is turned off", async () => {
  const { ctx, address } = await aPerson();
  const draft = { ...vacation, isOn: false, subject: "" };
  expect((await saveRules(ctx, address, { vacation: draft })).vacation).toMatchObject({
    subject: "",
    text: "Back\nsoon",
  });
});
