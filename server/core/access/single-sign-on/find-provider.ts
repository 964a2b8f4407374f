import { domainToASCII } from "node:url";

import { and, eq, isNotNull, isNull } from "drizzle-orm";

import {
  companies,
  domains,
  type IdentityProvider,
  identityProviders,
} from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

/** How a sign-in begins: with the typed address, or with the company's sign-in link. */
export type SignInStart = { email: string } | { providerId: string };

/** What a sign-in opens: the console, or a mailbox user's pages at `/account`. */
export type SignInArea = "console" | "account";

/** The company's identity provider; null without one. */
export async function findProvider({
  db,
  companyId,
}: CompanyScope): Promise<IdentityProvider | null> {
  const [found] = await db
    .select()
    .from(identityProviders)
    .where(eq(identityProviders.companyId, companyId));
  return found ?? null;
}

/** @throws Refusal `not_found` */
export async function requireProvider(company: CompanyScope): Promise<IdentityProvider> {
  const provider = await findProvider(company);
  if (!provider) throw new Refusal("not_found", "No identity provider is connected");
  return provider;
}

/**
 * Finds the provider by its id, or the one of the company that owns the address's domain, whether or not the address exists.
 * Null if there is none, if the company is suspended, or if the provider doesn't sign in to the area.
 */
export async function findProviderToStart(
  db: Db,
  start: SignInStart,
  area: SignInArea,
): Promise<IdentityProvider | null> {
  const isOpen = and(
    isNull(companies.suspendedAt),
    area === "account" ? eq(identityProviders.allowsMailboxes, true) : undefined,
  );
  const [found] =
    "providerId" in start
      ? await db
          .select({ provider: identityProviders })
          .from(identityProviders)
          .innerJoin(companies, eq(companies.id, identityProviders.companyId))
          .where(and(eq(identityProviders.id, start.providerId), isOpen))
      : await db
          .select({ provider: identityProviders })
          .from(identityProviders)
          .innerJoin(companies, eq(companies.id, identityProviders.companyId))
          .innerJoin(domains, eq(domains.companyId, identityProviders.companyId))
          .where(
            and(
              eq(domains.name, domainToASCII(start.email.split("@").at(-1)!)),
              isNotNull(domains.ownershipProvenAt),
              isOpen,
            ),
          );
  return found?.provider ?? null;
}

/** The names whose ownership the company has verified. */
export async function listOwnedDomains({ db, companyId }: CompanyScope): Promise<Set<string>> {
  const rows = await db
    .select({ name: domains.name })
    .from(domains)
    .where(and(eq(domains.companyId, companyId), isNotNull(domains.ownershipProvenAt)));
  return new Set(rows.map(({ name }) => name));
}
