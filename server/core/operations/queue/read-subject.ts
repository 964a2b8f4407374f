import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { parseDomainName } from "#server/core/domains/domains/parse-domain-name.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import type { Subject } from "./holds.ts";

/**
 * Validates a destination or company given by an operator.
 *
 * @returns the normalized subject and its display name
 * @throws Refusal `invalid` for the domain, `not_found` for the company
 */
export async function readSubject(
  db: Db,
  { kind, subject }: Subject,
): Promise<Subject & { name: string }> {
  if (kind === "destination") {
    const domain = readDestination(subject);
    return { kind, subject: domain, name: domain };
  }
  const [company] = isUuid(subject)
    ? await db
        .select({ id: companies.id, name: companies.name })
        .from(companies)
        .where(eq(companies.id, subject))
    : [];
  if (!company) throw new Refusal("not_found", "Company not found");
  return { kind, subject: company.id, name: company.name };
}

/** Also accepts local hostnames, which can't be created as domains. */
function readDestination(text: string): string {
  const name = text.trim().toLowerCase();
  if (/^([a-z0-9-]+\.)*localhost$/.test(name)) return name;
  return parseDomainName(name);
}
