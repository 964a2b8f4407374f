import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";

import { type Admin, admins, companies, type Company, people } from "#drizzle/schema/index.ts";
import { hashPassword, requireStrongPassword } from "#server/core/access/admins/password.ts";
import {
  describePerson,
  type KnownPerson,
  lockKnownPerson,
  requireConfirmed,
} from "#server/core/access/people/known-person.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { ensureRootUnit } from "#server/core/mailboxes/org-units/ensure-root-unit.ts";
import { readOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { type CompanyScope, createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

const NAME_MAX = 200;

export type NewCompany = {
  name: string;
  purpose?: Company["purpose"];
  /** `password` is null for an admin who has one already, or who can't sign in yet. */
  owner: { email: string; name?: string; password: string | null };
};

/**
 * Creates a company with its owner.
 *
 * @returns also who the owner was before; null for a new person
 * @throws Refusal `invalid` for the name, address or password; `already_exists` if a password is given for an admin
 *   who already has one; `not_allowed` for one whose address isn't confirmed
 */
export async function createCompany(
  db: Db,
  input: NewCompany,
): Promise<{ company: Company; owner: Admin; known: KnownPerson | null }> {
  const name = readCompanyName(input.name);
  const email = readEmail(input.owner.email);
  const { password } = input.owner;
  if (password !== null) requireStrongPassword(password, [name, email]);
  const passwordHash = password === null ? null : await hashPassword(password);

  return db.transaction(async (tx) => {
    const [company] = await tx
      .insert(companies)
      .values({ name, purpose: input.purpose ?? "customer" })
      .returning();
    const ctx = createContext(tx, company!.id, { kind: "system", task: "create_company" });
    await ensureRootUnit(ctx);
    const known = await ensurePerson(tx, email, passwordHash);
    const [owner] = await tx
      .insert(admins)
      .values({ companyId: company!.id, email, name: input.owner.name ?? "", isOwner: true })
      .returning();
    await recordAudit(ctx, "company.created", { name, owner: email });
    return { company: company!, owner: owner!, known };
  });
}

/** Never changes an existing password. The address of a new admin counts as verified. */
async function ensurePerson(
  db: Db,
  email: string,
  passwordHash: string | null,
): Promise<KnownPerson | null> {
  const [made] = await db
    .insert(people)
    .values({ email, passwordHash, emailProvenAt: sql`clock_timestamp()` })
    .onConflictDoNothing()
    .returning({ email: people.email });
  if (made) return null;
  const known = await lockKnownPerson(db, email);
  if (passwordHash !== null)
    throw new Refusal(
      "already_exists",
      `${email} is already an admin on this appliance. Omit the password to make them the owner`,
    );
  requireConfirmed(known!, describePerson(known!));
  return known;
}

/** @throws Refusal `invalid` */
export const readCompanyName = (text: string): string =>
  readOneLine(text, "name", {
    max: NAME_MAX,
    message: `A company name must be 1 to ${NAME_MAX} characters on one line`,
  });

function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (!z.email().max(254).safeParse(email).success)
    throw new Refusal("invalid", `"${text}" is not an email address`);
  return email;
}

export async function findAdmin(ctx: CompanyScope, email: string): Promise<Admin | null> {
  const [admin] = await ctx.db
    .select()
    .from(admins)
    .where(and(eq(admins.companyId, ctx.companyId), eq(admins.email, email.toLowerCase())));
  return admin ?? null;
}
