import { and, asc, eq, sql } from "drizzle-orm";

import { companies, dkimKeys, domains } from "#drizzle/schema/index.ts";
import { type Config, config } from "#server/config.ts";
import { isOwnedElsewhere } from "#server/core/domains/ownership/claims.ts";
import { createDkimKey, dkimRecord } from "#server/core/sending/dkim/dkim-keys.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

/** The company and domain that the appliance's own emails are sent from. */
export type Platform = {
  companyId: string;
  domain: string;
};

type Home = Pick<Config, "hostname" | "localMode">;

/**
 * Creates what is missing of the appliance's own company, its domain (the hostname) and its DKIM key. It has
 * no admins and no API keys. If a company has verified the hostname as its own domain, a subdomain is used
 * instead.
 *
 * @throws Error if both names belong to companies
 */
export async function ensurePlatform(db: Db, home: Home = config()): Promise<Platform> {
  return db.transaction(async (tx) => {
    await lock(tx, "platformCompany");
    const companyId = await ensureCompany(tx);
    const domain = await findFreeName({ db: tx, companyId }, home);
    await ensureDomain({ db: tx, companyId }, domain);
    return { companyId, domain };
  });
}

/** Creates the appliance's own company if needed, without a domain. */
export const ensurePlatformCompany = async (db: Db): Promise<string> =>
  (await findCompany(db)) ?? (await ensureLocked(db));

function ensureLocked(db: Db): Promise<string> {
  return db.transaction(async (tx) => {
    await lock(tx, "platformCompany");
    return ensureCompany(tx);
  });
}

/** In local mode the hostname is the sandbox's domain. */
const candidateNames = ({ hostname, localMode }: Home) =>
  localMode ? [`notices.${hostname}`] : [hostname, `notices.${hostname}`];

async function findCompany(db: Db): Promise<string | null> {
  const [found] = await db
    .select({ id: companies.id })
    .from(companies)
    .where(eq(companies.purpose, "platform"))
    .orderBy(asc(companies.createdAt))
    .limit(1);
  return found?.id ?? null;
}

async function ensureCompany(db: Db): Promise<string> {
  const found = await findCompany(db);
  if (found !== null) return found;
  const [made] = await db
    .insert(companies)
    .values({ name: "Posthouse", purpose: "platform" })
    .returning({ id: companies.id });
  return made!.id;
}

async function findFreeName(ctx: CompanyScope, home: Home): Promise<string> {
  for (const name of candidateNames(home)) if (!(await isOwnedElsewhere(ctx, name))) return name;
  throw new Error(
    `${candidateNames(home).join(" and ")} are domains of companies, so notices have no sender`,
  );
}

/** The host's own name needs no proof of ownership, and DNS problems must not stop notices. */
async function ensureDomain(ctx: CompanyScope, name: string): Promise<void> {
  const [domain] = await ctx.db
    .insert(domains)
    .values({
      companyId: ctx.companyId,
      name,
      status: "verified",
      ownershipToken: "none",
      ownershipProvenAt: sql`clock_timestamp()`,
    })
    .onConflictDoUpdate({
      target: [domains.companyId, domains.name],
      set: { status: "verified", openTracking: false, clickTracking: false },
    })
    .returning({ id: domains.id });
  // Its records are the operator's and aren't checked.
  if (!(await ctx.db.$count(dkimKeys, eq(dkimKeys.domainId, domain!.id))))
    await createDkimKey(ctx.db, domain!.id, { isSeen: true });
}

/** A TXT record of the domain that the appliance's own emails are sent from. */
export type PlatformRecord = { record: "DKIM" | "SPF"; name: string; value: string };

/** The records that the operator should publish so that receivers trust the appliance's notices. */
export async function listPlatformRecords(
  db: Db,
  home: Pick<Config, "hostname" | "localMode"> = config(),
): Promise<PlatformRecord[]> {
  const { companyId, domain } = await ensurePlatform(db, home);
  const [found] = await db
    .select()
    .from(dkimKeys)
    .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
    .where(
      and(
        eq(domains.companyId, companyId),
        eq(domains.name, domain),
        eq(dkimKeys.algorithm, "rsa"),
        eq(dkimKeys.state, "active"),
      ),
    );
  const { selector } = found!.dkim_keys;
  return [
    {
      record: "DKIM",
      name: `${selector}._domainkey.${domain}`,
      value: dkimRecord(found!.dkim_keys),
    },
    { record: "SPF", name: domain, value: `v=spf1 a:${home.hostname} -all` },
  ];
}
