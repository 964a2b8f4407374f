import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

import { aliases, companies, mailboxes, suppressions } from "#drizzle/schema/index.ts";
import { readPasswordLink } from "#server/core/mailboxes/sign-in/password-link.ts";
import { db } from "#server/db/pool.ts";
import type { TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aDomain, aMailbox, aSuppression } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";

import { describeList, describeUsers, importSuppressions, importUsers } from "./import-lists.ts";

const root = mkdtempSync(join(tmpdir(), "posthouse-lists-"));
let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(async () => {
  await dovecot.stop();
  rmSync(root, { recursive: true });
});

function aFile(name: string, content: string): string {
  writeFileSync(join(root, name), content);
  return join(root, name);
}

test("imports a suppression list once, after a dry run that changes nothing", async () => {
  const { id } = await aCompany();
  await aSuppression(id, { email: "ben@x.test", origin: "manual" });
  const file = aFile(
    "suppression_bounces.csv",
    "status,reason,email,created\n5.1.1,gone,Ann@x.test,1700000000\n5.1.1,gone,ben@x.test,1700000000\n5,x,no address,1\n5.1.1,gone,ann@x.test,1600000000\n",
  );
  const stored = () =>
    db()
      .select()
      .from(suppressions)
      .where(eq(suppressions.companyId, id))
      .orderBy(suppressions.email);
  const expected = {
    format: "SendGrid bounces",
    added: 1,
    already: 1,
    origins: { bounce: 1 },
    skipped: [{ line: 4, address: "no address", problem: "Not a valid email address" }],
  };
  const dry = await importSuppressions(file, { company: id, dryRun: true });
  expect(dry).toEqual(expected);
  expect(describeList(dry, true)).toBe(
    "Format: SendGrid bounces\n1 address would be added: bounce 1\n1 address already suppressed\n1 line skipped:\n  4: Not a valid email address: no address",
  );
  expect(await stored()).toHaveLength(1);
  expect(await importSuppressions(file, { company: id })).toEqual(expected);
  const after = await stored();
  expect(after).toMatchObject([
    { email: "ann@x.test", origin: "bounce", createdAt: "2023-11-14 22:13:20+00" },
    { email: "ben@x.test", origin: "manual" },
  ]);
  expect(await importSuppressions(file, { company: id })).toMatchObject({ added: 0, already: 2 });
  expect(await stored()).toEqual(after);
});

test("creates mailboxes with aliases and links, and continues where it was interrupted", async () => {
  const { id } = await aCompany();
  const { name: domain, ...rest } = await aDomain(id);
  await aMailbox({ ...rest, name: domain }, { address: `here@${domain}` });
  const at = (local: string) => `${local}@${domain}`;
  const file = aFile(
    "users.csv",
    [
      "Display name,User principal name,Proxy addresses",
      `Ann Lee,${at("ann")},SMTP:${at("ann")}+smtp:${at("a")}+smtp:${at("A")}+smtp:${at("ANN")}+smtp:ann@other.example`,
      `Here,${at("here")},SMTP:${at("here")}+smtp:${at("h")}`,
      `Taken,${at("taken")},smtp:${at("ann")}`,
      "Elsewhere,e@elsewhere.example,",
      `Ben Ito,${at("ben")},`,
    ].join("\n"),
  );
  const found = async () => ({
    mailboxes: (await db().select().from(mailboxes).where(eq(mailboxes.companyId, id)))
      .map(({ address, name }) => `${address.split("@")[0]!} ${name}`)
      .toSorted(),
    aliases: (await db().select().from(aliases))
      .filter(({ mailbox }) => mailbox.endsWith(domain))
      .map(({ address }) => address)
      .toSorted(),
  });
  const before = await found();
  const links = join(root, "links.csv");
  const skipped = [
    { line: 2, address: "ann@other.example", problem: "An alias in another domain" },
    { line: 4, address: at("taken"), problem: expect.stringContaining("ann@") as string },
    { line: 5, address: "e@elsewhere.example", problem: expect.any(String) as string },
  ];
  const expected = { created: [at("ann"), at("ben")], aliases: [at("h")], unchanged: 0, skipped };

  const dry = await importUsers([file], { company: id, dryRun: true });
  expect(dry).toMatchObject(expected);
  expect(describeUsers(dry, { company: id, dryRun: true })).toContain(
    "2 mailboxes would be created\n  ann@",
  );
  expect(await found()).toEqual(before);
  await expect(importUsers([file], { company: id })).rejects.toThrow("Specify --links");
  expect(await found()).toEqual(before);
  const shared = aFile("shared.csv", "");
  chmodSync(shared, 0o640);
  await expect(importUsers([file], { company: id, links: shared })).rejects.toThrow("chmod 600");
  const folder = mkdtempSync(join(root, "links-"));
  await expect(importUsers([file], { company: id, links: folder })).rejects.toThrow("EISDIR");
  expect(await found()).toEqual(before);

  // As if interrupted: the plan allows one more.
  await db().update(companies).set({ mailboxesMax: 2 }).where(eq(companies.id, id));
  const first = await importUsers([file], { company: id, links });
  expect(first.created).toEqual([at("ann")]);
  expect(first.skipped.at(-1)).toMatchObject({ line: 6, address: at("ben") });
  await db().update(companies).set({ mailboxesMax: null }).where(eq(companies.id, id));
  const second = await importUsers([file], { company: id, links });
  expect(second).toMatchObject({ created: [at("ben")], aliases: [], unchanged: 2 });
  const all = await found();
  expect(all).toEqual({
    mailboxes: ["ann Ann Lee", "ben Ben Ito", `here ${before.mailboxes[0]!.slice(5)}`],
    aliases: [at("a"), at("h")],
  });
  expect(await importUsers([file], { company: id })).toMatchObject({ created: [], unchanged: 3 });

  expect(statSync(links).mode & 0o777).toBe(0o600);
  const [head, ...lines] = readFileSync(links, "utf8").trim().split("\r\n");
  expect(head).toBe("mailbox,name,link");
  for (const [number, local] of ["ann", "ben"].entries()) {
    const [mailbox, , link] = lines[number]!.split(",");
    expect(mailbox).toBe(at(local));
    const token = link!.split("#")[1]!;
    expect(await readPasswordLink(db(), { token, clientAddress: "192.0.2.1" })).toMatchObject({
      address: at(local),
    });
  }
});
