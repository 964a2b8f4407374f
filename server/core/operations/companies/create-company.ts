import { hash } from "@node-rs/argon2";
import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";

import { type Admin, admins, companies, type Company, people } from "#drizzle/schema/index.ts";
import { requireStrongPassword } from "#server/core/access/admins/password.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { ensureRootUnit } from "#server/core/mailboxes/org-units/ensure-root-unit.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

export type NewCompany = {
  name: string;
  purpose?: Company["purpose"];
  /** Without a password it is a person who already signs in, or somebody who cannot yet. */
  owner: { email: string; name?: string; password: string | null };
};

/**
 * Makes a company with its owner, who holds every privilege in it.
 *
 * @throws Refusal `invalid` for a name, address or password that cannot be used, `already_exists` when
 *   a password is given for somebody who has one already
 */
export async function createCompany(
  db: Db,
  input: NewCompany,
): Promise<{ company: Company; owner: Admin }> {
  const name = readCompanyName(input.name);
  const email = readEmail(input.owner.email);
  const { password } = input.owner;
  if (password !== null) requireStrongPassword(password, [name, email]);
  const passwordHash = password === null ? null : await hash(password);

  return db.transaction(async (tx) => {
    const [company] = await tx
      .insert(companies)
      .values({ name, purpose: input.purpose ?? "customer" })
      .returning();
    await ensureRootUnit(tx, company!.id);
    await ensurePerson(tx, email, passwordHash);
    const [owner] = await tx
      .insert(admins)
      .values({ companyId: company!.id, email, name: input.owner.name ?? "", isOwner: true })
      .returning();
    const actor = { kind: "system", task: "create_company" } as const;
    const ctx = { db: tx, companyId: company!.id, actor, now: () => new Date() };
    await recordAudit(ctx, "company.created", { name, owner: email });
    return { company: company!, owner: owner! };
  });
}

/**
 * Nobody's password is changed by making a company. Who makes one at the server, or sets it up, vouches
 * for the address of somebody new.
 */
async function ensurePerson(db: Db, email: string, passwordHash: string | null): Promise<void> {
  const [made] = await db
    .insert(people)
    .values({ email, passwordHash, emailProvenAt: sql`clock_timestamp()` })
    .onConflictDoNothing()
    .returning({ email: people.email });
  if (made || passwordHash === null) return;
  throw new Refusal(
    "already_exists",
    `${email} already signs in here. Leave the password out to make that person the owner`,
  );
}

/** @throws Refusal `invalid` */
export function readCompanyName(text: string): string {
  const name = text.trim();
  if (name.length < 1 || name.length > 200 || /[\p{Cc}\p{Cs}]/u.test(name))
    throw new Refusal("invalid", "A company's name has 1 to 200 characters, on one line");
  return name;
}

function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (!z.email().max(254).safeParse(email).success)
    throw new Refusal("invalid", `"${text}" is not an e-mail address`);
  return email;
}

/** The company's admin with this sign-in address, or null. */
export async function findAdmin(
  db: Db,
  { companyId, email }: { companyId: string; email: string },
): Promise<Admin | null> {
  const [admin] = await db
    .select()
    .from(admins)
    .where(and(eq(admins.companyId, companyId), eq(admins.email, email.toLowerCase())));
  return admin ?? null;
}
