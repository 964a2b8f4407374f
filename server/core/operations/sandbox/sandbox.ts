import { randomInt } from "node:crypto";
import { dirname, join } from "node:path";

import { and, asc, eq, isNull, sql } from "drizzle-orm";

import {
  addresses,
  type Admin,
  admins,
  apiKeys,
  companies,
  dkimKeys,
  domains,
  mailboxes,
  people,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { hashPassword, passwordMatches } from "#server/core/access/admins/password.ts";
import { createApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { hashKeyToken } from "#server/core/access/api-keys/authenticate-key.ts";
import { parseDomainName, SANDBOX_DOMAIN } from "#server/core/domains/domains/parse-domain-name.ts";
import { chooseMailHost } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { ensureRootUnit } from "#server/core/mailboxes/org-units/units.ts";
import { createCompany } from "#server/core/operations/companies/create-company.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { createDkimKey, dkimRecord } from "#server/core/sending/dkim/dkim-keys.ts";
import { type CompanyScope, createContext } from "#server/core/shared/context.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { createFolder, readNoFollow } from "#server/processes/open-no-follow.ts";
import { replacePrivateFile } from "#server/processes/private-file.ts";

const OWNER_EMAIL = `you@${SANDBOX_DOMAIN}`;

/** A company to try everything with: its domain, a mailbox and the credentials. */
export type Sandbox = {
  companyId: string;
  domain: string;
  /** `password` is null if sign-in is off or the owner has changed it. */
  owner: { email: string; password: string | null };
  mailbox: { address: string; password: string };
  apiKey: string;
};

/**
 * Creates the sandbox company, or what is missing of it. The secrets are stored in the data folder, so that every
 * start can show them. Resets a mailbox password or API key that doesn't match them.
 *
 * @param canSignIn whether the owner can use the console; otherwise the company only serves the self-check
 */
export async function ensureSandbox(
  db: Db,
  { canSignIn }: { canSignIn: boolean },
): Promise<Sandbox> {
  return db.transaction(async (tx) => {
    await lock(tx, "sandbox");
    const kept = readSecrets();
    const secrets = kept ?? { password: newPassword(), apiKey: null };
    const found = await ensureOwner(tx, secrets);
    // Without the file the password is lost too. Set a new one instead of locking the owner out.
    const owner = kept ? found : { ...found, passwordHash: null };
    const ownerPassword = await ensureOwnerPassword(tx, owner, canSignIn ? secrets.password : null);
    const scope = { db: tx, companyId: owner.companyId };
    const domainId = await ensureDomain(scope);
    await ensureMailbox(scope, domainId, secrets.password);
    const apiKey = await ensureApiKey(tx, owner, secrets.apiKey);
    // Still under the lock, so that the next start finds the secrets of the rows it sees.
    storeSecrets({ password: secrets.password, apiKey });
    return {
      companyId: owner.companyId,
      domain: SANDBOX_DOMAIN,
      owner: { email: owner.email, password: ownerPassword },
      mailbox: { address: OWNER_EMAIL, password: secrets.password },
      apiKey,
    };
  });
}

type Owner = Pick<Admin, "id" | "companyId" | "email"> & { passwordHash: string | null };

async function ensureOwner(db: Db, { password }: SandboxSecrets): Promise<Owner> {
  const { id, companyId, email } = admins;
  const [found] = await db
    .select({ id, companyId, email, passwordHash: people.passwordHash })
    .from(companies)
    .innerJoin(admins, and(eq(admins.companyId, companies.id), eq(admins.isOwner, true)))
    .innerJoin(people, eq(people.email, admins.email))
    .where(eq(companies.purpose, "sandbox"))
    .orderBy(asc(companies.createdAt))
    .limit(1);
  if (found) return found;
  await createCompany(db, {
    name: "Sandbox",
    purpose: "sandbox",
    owner: { email: OWNER_EMAIL, name: "You", password },
  });
  await db.update(people).set({ isOperator: true }).where(eq(people.email, OWNER_EMAIL));
  return ensureOwner(db, { password, apiKey: null });
}

/**
 * Sets the owner's password if there is none, or removes it if `password` is null. A password that the owner chose
 * stays. An owner who can sign in is also an operator.
 */
async function ensureOwnerPassword(
  db: Db,
  owner: Owner,
  password: string | null,
): Promise<string | null> {
  if (password !== null && owner.passwordHash !== null)
    return (await passwordMatches(password, owner.passwordHash)) ? password : null;
  await db
    .update(people)
    .set({
      passwordHash: password === null ? null : await hashPassword(password),
      isOperator: password !== null,
    })
    .where(eq(people.email, owner.email));
  return password;
}

async function ensureDomain(ctx: CompanyScope): Promise<string> {
  const [domain] = await ctx.db
    .insert(domains)
    .values({
      companyId: ctx.companyId,
      name: SANDBOX_DOMAIN,
      status: "verified",
      ownershipToken: newPassword(),
      ownershipProvenAt: sql`clock_timestamp()`,
    })
    .onConflictDoUpdate({
      target: [domains.companyId, domains.name],
      set: { status: "verified", ownershipProvenAt: sql`clock_timestamp()` },
    })
    .returning({ id: domains.id });
  if (!(await ctx.db.$count(dkimKeys, eq(dkimKeys.domainId, domain!.id))))
    await createDkimKey(ctx.db, domain!.id, { isSeen: true });
  return domain!.id;
}

async function ensureMailbox(ctx: CompanyScope, domainId: string, password: string) {
  const [mailbox] = await ctx.db.select().from(mailboxes).where(eq(mailboxes.address, OWNER_EMAIL));
  if (mailbox && (await passwordMatches(password, mailbox.passwordHash)) && !mailbox.suspendedAt)
    return;
  const passwordHash = await hashPassword(password);
  const orgUnitId = await ensureRootUnit(ctx);
  await ctx.db
    .insert(addresses)
    .values({ address: OWNER_EMAIL, companyId: ctx.companyId, domainId, kind: "mailbox" })
    .onConflictDoNothing();
  const store = `${SANDBOX_DOMAIN}/you`;
  const storeHost = await chooseMailHost(ctx.db);
  await ctx.db
    .insert(mailboxes)
    .values({
      address: OWNER_EMAIL,
      companyId: ctx.companyId,
      domainId,
      orgUnitId,
      store,
      name: "You",
      passwordHash,
      quotaMb: 1024,
      storeHost,
    })
    .onConflictDoUpdate({
      target: mailboxes.address,
      set: { passwordHash, suspendedAt: null, forcePasswordChange: false },
    });
}

async function ensureApiKey(db: Db, owner: Owner, kept: string | null): Promise<string> {
  if (kept && (await isActiveKey(db, kept))) return kept;
  const ctx = createContext(db, owner.companyId, { kind: "system", task: "ensure_sandbox" });
  const { token } = await createApiKey(ctx, {
    creatorId: owner.id,
    name: "Sandbox",
    permission: "full_access",
    domainId: null,
  });
  return token;
}

async function isActiveKey(db: Db, token: string): Promise<boolean> {
  const [key] = await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.secretHash, hashKeyToken(token)), isNull(apiKeys.revokedAt)));
  return key !== undefined;
}

type SandboxSecrets = {
  /** For the owner's console sign-in and the mailbox. */
  password: string;
  /** Null until a key exists. */
  apiKey: string | null;
};

const secretsFile = () => join(config().dataFolder, "keys/sandbox.json");

/** Letters and digits without lookalikes. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

/** Has 80 bits and is easy to type. */
const newPassword = (): string =>
  Array.from({ length: 16 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** Null if the file is missing or invalid. */
function readSecrets(): SandboxSecrets | null {
  try {
    const { password, apiKey } = JSON.parse(readNoFollow(secretsFile())) as Partial<SandboxSecrets>;
    return password ? { password, apiKey: apiKey ?? null } : null;
  } catch {
    return null;
  }
}

/** Writes the file atomically, readable only by the appliance's user. */
function storeSecrets(secrets: SandboxSecrets): void {
  const file = secretsFile();
  createFolder(dirname(file));
  replacePrivateFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
}

export type TestCompany = {
  apiKey: string;
  domains: string[];
  owner: { email: string; password: string | null };
};

/** High, because tests poll and run in parallel. */
const REQUESTS_MAX = "10000";

/**
 * Creates the company of a test server, with a test key, and raises the request limits.
 *
 * @param names domains to send from, which test keys don't need verified
 * @throws Refusal `invalid` for a name
 */
export async function prepareTestCompany(db: Db, names: string[]): Promise<TestCompany> {
  const { companyId, owner, domain } = await ensureSandbox(db, { canSignIn: true });
  for (const name of ["request_rate_per_second", "requests_in_progress"])
    await changeSetting(db, name, REQUESTS_MAX);
  const ctx = createContext(db, companyId, { kind: "system", task: "test_server" });
  const added = [...new Set(names.map(parseDomainName))].filter((name) => name !== domain);
  if (added.length > 0)
    await db
      .insert(domains)
      .values(added.map((name) => ({ companyId, name, ownershipToken: "none" })));
  const [creator] = await db
    .select({ id: admins.id })
    .from(admins)
    .where(and(eq(admins.companyId, companyId), eq(admins.email, owner.email)));
  const { token } = await createApiKey(ctx, {
    creatorId: creator!.id,
    name: "Test server",
    permission: "test",
    domainId: null,
  });
  return { apiKey: token, domains: [domain, ...added], owner };
}

/**
 * A resolver for the sandbox domain, which isn't in DNS: answers with its DKIM records. All other names don't exist.
 */
export function sandboxResolver(db: Db) {
  return async (name: string, type: string): Promise<string[][]> => {
    const [selector, suffix] = name.toLowerCase().split("._domainkey.");
    if (type === "TXT" && selector && suffix === SANDBOX_DOMAIN) {
      const keys = await db
        .select({ algorithm: dkimKeys.algorithm, publicKey: dkimKeys.publicKey })
        .from(dkimKeys)
        .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
        .where(and(eq(domains.name, SANDBOX_DOMAIN), eq(dkimKeys.selector, selector)));
      if (keys.length > 0) return keys.map((key) => [dkimRecord(key)]);
    }
    throw Object.assign(new Error(`${name} has no ${type} record`), { code: "ENOTFOUND" });
  };
}
