import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { hash, verify } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { apiKeys, companies, dkimKeys, domains, mailboxes, people } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { authenticateKey } from "#server/core/access/api-keys/authenticate-key.ts";
import { isSetUp } from "#server/core/operations/companies/set-up.ts";
import { db } from "#server/db/pool.ts";

import { ensureSandbox, sandboxResolver } from "./sandbox.ts";

const secretsFile = () => join(config().dataFolder, "keys/sandbox.json");

const ownerOf = async (email: string) =>
  (await db().select().from(people).where(eq(people.email, email)))[0]!;

const mailboxOf = async (address: string) =>
  (await db().select().from(mailboxes).where(eq(mailboxes.address, address)))[0]!;

const authenticate = (token: string) => authenticateKey(db(), { token, address: "127.0.0.1" });

test("concurrent starts make one working sandbox", async () => {
  const [sandbox, same] = await Promise.all([
    ensureSandbox(db(), { canSignIn: true }),
    ensureSandbox(db(), { canSignIn: true }),
  ]);
  expect(same).toEqual(sandbox);
  expect(await db().select().from(companies)).toHaveLength(1);
  expect(await db().select().from(domains)).toMatchObject([
    { name: "posthouse.localhost", status: "verified", companyId: sandbox.companyId },
  ]);
  expect(await isSetUp(db())).toBe(true);
});

test("the secrets work, stay the same, and can't be read by other users", async () => {
  const first = await ensureSandbox(db(), { canSignIn: true });
  expect(await ensureSandbox(db(), { canSignIn: true })).toEqual(first);
  expect(statSync(secretsFile()).mode & 0o777).toBe(0o600);
  expect(await authenticate(first.apiKey)).toMatchObject({ permission: "full_access" });
  const { passwordHash } = await ownerOf(first.owner.email);
  expect(await verify(passwordHash!, first.owner.password!)).toBe(true);
  const mailbox = await mailboxOf(first.mailbox.address);
  expect(await verify(mailbox.passwordHash, first.mailbox.password)).toBe(true);
});

test("recreates a missing mailbox, DKIM key, API key or secrets file", async () => {
  const first = await ensureSandbox(db(), { canSignIn: true });
  await db().delete(mailboxes);
  await db().delete(dkimKeys);
  await db().update(apiKeys).set({ revokedAt: new Date().toISOString() });
  const second = await ensureSandbox(db(), { canSignIn: true });
  expect(second.apiKey).not.toBe(first.apiKey);
  expect(await authenticate(second.apiKey)).toMatchObject({ companyId: first.companyId });
  expect(await mailboxOf(first.mailbox.address)).toBeDefined();
  expect(await db().select().from(dkimKeys)).toHaveLength(1);

  rmSync(secretsFile());
  const third = await ensureSandbox(db(), { canSignIn: true });
  expect(third.owner.password).not.toBe(first.owner.password);
  const { passwordHash } = await ownerOf(third.owner.email);
  expect(await verify(passwordHash!, third.owner.password!)).toBe(true);
  expect(readFileSync(secretsFile(), "utf8")).toContain(third.apiKey);
});

test("keeps a password that the owner chose and doesn't return it", async () => {
  const { owner } = await ensureSandbox(db(), { canSignIn: true });
  const chosen = await hash("a chosen password", { memoryCost: 1024, timeCost: 1 });
  await db().update(people).set({ passwordHash: chosen }).where(eq(people.email, owner.email));
  expect((await ensureSandbox(db(), { canSignIn: true })).owner.password).toBeNull();
  expect((await ownerOf(owner.email)).passwordHash).toBe(chosen);
});

test("the owner can't sign in on a server", async () => {
  const sandbox = await ensureSandbox(db(), { canSignIn: false });
  expect(sandbox.owner.password).toBeNull();
  expect((await ownerOf(sandbox.owner.email)).passwordHash).toBeNull();
  expect(await authenticate(sandbox.apiKey)).toBeDefined();
});

test("the resolver answers only with the DKIM records", async () => {
  await ensureSandbox(db(), { canSignIn: true });
  const [key] = await db().select().from(dkimKeys);
  const resolve = sandboxResolver(db());
  expect(await resolve(`${key!.selector}._domainkey.posthouse.localhost`, "TXT")).toEqual([
    [`v=DKIM1; k=rsa; p=${key!.publicKey}`],
  ]);
  for (const name of ["other._domainkey.posthouse.localhost", "posthouse.localhost"])
    await expect(resolve(name, "TXT")).rejects.toMatchObject({ code: "ENOTFOUND" });
});
