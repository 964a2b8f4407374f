import { sql } from "drizzle-orm";

import { formatUtc } from "#server/core/shared/format-utc.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

/** A console user, as described to those who are about to give them more access. */
export type KnownPerson = {
  email: string;
  createdAt: string;
  /** Whether they, or an operator on their behalf, have confirmed the address. */
  isConfirmed: boolean;
  /** The names of the companies that they are an admin of. */
  companies: string[];
};

/** Finds the person with this address, and locks the row until the transaction ends. */
export async function lockKnownPerson(db: Db, email: string): Promise<KnownPerson | null> {
  const [found] = await db.execute<KnownPerson>(sql`
    select p.email, p.created_at as "createdAt", p.email_proven_at is not null as "isConfirmed",
      array(select c.name from admins a join companies c on c.id = a.company_id
        where a.email = p.email order by c.name) as companies
    from people p where p.email = ${email} for no key update of p`);
  return found ?? null;
}

/** For example "an admin of Northwind and Contoso, who first joined on March 4, 2026 at 10:15 UTC". */
export function describePerson({ companies, createdAt }: KnownPerson): string {
  const who = companies.length > 0 ? `an admin of ${companies.join(" and ")}` : "an admin";
  return `${who}, who first joined on ${formatUtc(createdAt)}`;
}

/**
 * Someone who joined through a copied invitation link may not be who receives mail at the address, so they can't become an
 * owner or operator.
 *
 * @param who for operators only: it names other companies
 * @throws Refusal `not_allowed`
 */
export function requireConfirmed(
  { email, isConfirmed }: Pick<KnownPerson, "email" | "isConfirmed">,
  who?: string,
): void {
  if (isConfirmed) return;
  throw new Refusal(
    "not_allowed",
    `${email} isn’t confirmed${who ? ` (${who})` : ""}: it was registered through a copied link, possibly by someone else. Ask the person who receives mail at ${email} to use “Forgot your password?” on the console’s sign-in page, which confirms the address. Then try again`,
  );
}
