import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";

import {
  type Admin,
  admins,
  type ApiKey,
  companies,
  type Company,
  domains,
  invitations,
  people,
} from "#drizzle/schema/index.ts";
import { hashPassword, requireStrongPassword } from "#server/core/access/admins/password.ts";
import { createApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { getCompany } from "#server/core/access/companies/companies.ts";
import {
  invite,
  readSignInAddress,
  resendInvitation,
} from "#server/core/access/invitations/invitations.ts";
import {
  describePerson,
  type KnownPerson,
  lockKnownPerson,
  requireConfirmed,
} from "#server/core/access/people/people.ts";
import { endGivenCredentials } from "#server/core/access/sign-in/steps.ts";
import { ensureRootUnit } from "#server/core/mailboxes/org-units/units.ts";
import { assignPlan } from "#server/core/operations/plans/plans.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import {
  type CompanyScope,
  type Context,
  createContext,
  inTransaction,
} from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/text.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { type Operator, operatorContext } from "./operators.ts";

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
  if (password !== null) await requireStrongPassword(password, [name, email]);
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
    await endGivenCredentials(tx, [email]);
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
const readCompanyName = (text: string): string =>
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

export type NewOperatedCompany = {
  name: string;
  /** Null for no limits. */
  planId: string | null;
  owner: { email: string; name: string };
};

/**
 * Creates a company and invites its owner by email, so that the operator never knows a password.
 *
 * @returns the token of the invitation link, which isn't stored
 * @throws Refusal `invalid`, `not_found` for the plan
 */
export async function createOperatedCompany(
  operator: Operator,
  input: NewOperatedCompany,
): Promise<{ id: string; token: string }> {
  const name = readCompanyName(input.name);
  const email = readSignInAddress(input.owner.email);
  return operator.db.transaction(async (tx) => {
    const [made] = await tx.insert(companies).values({ name }).returning({ id: companies.id });
    await ensureRootUnit({ db: tx, companyId: made!.id });
    const ctx = await operatorContext({ ...operator, db: tx }, made!.id);
    return inTransaction(ctx, async (ctx) => {
      await recordAudit(ctx, "company.created", { name, owner: email });
      if (input.planId !== null) await assignPlan(ctx, input.planId);
      const { token } = await invite(ctx, { ...input.owner, email, isOwner: true, roleIds: [] });
      return { id: made!.id, token };
    });
  });
}

/**
 * Creates an API key for a company, admin and domain given by name.
 *
 * @throws Refusal `not_found` for the company, admin or domain; `invalid` as `createApiKey`
 */
export async function createKeyFor(
  db: Db,
  input: {
    /** Name or id. */
    company: string;
    /** Sign-in address of the admin whose privileges the key gets. */
    as: string;
    name: string;
    permission: ApiKey["permission"];
    domain?: string;
  },
): Promise<{ id: string; token: string }> {
  const company = await getCompany(db, input.company);
  const ctx = createContext(db, company.id, { kind: "system", task: "create_key" });
  const creator = await findAdmin(ctx, input.as);
  if (!creator) throw new Refusal("not_found", `${company.name} has no admin ${input.as}`);
  return createApiKey(ctx, {
    creatorId: creator.id,
    name: input.name,
    permission: input.permission,
    domainId: input.domain === undefined ? null : await getDomainId(ctx, input.domain),
  });
}

async function getDomainId(ctx: Context, name: string): Promise<string> {
  const [domain] = await ctx.db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), eq(domains.name, name.toLowerCase())));
  if (!domain) throw new Refusal("not_found", `The company has no domain "${name}"`);
  return domain.id;
}

/**
 * Invites an owner to the company. If an invitation is open, sends a new link that replaces the old one.
 *
 * @param ctx of an operator at the company
 * @returns the token of the link, which isn't stored
 * @throws Refusal `invalid`, `already_exists` for an admin of the company, `rate_limit_exceeded`
 */
export async function inviteOwner(
  ctx: Context,
  owner: { email: string; name: string },
): Promise<{ token: string }> {
  const email = readSignInAddress(owner.email);
  const [asked] = await ctx.db
    .select({ id: invitations.id })
    .from(invitations)
    .where(
      and(
        eq(invitations.companyId, ctx.companyId),
        eq(invitations.email, email),
        eq(invitations.isOwner, true),
      ),
    );
  if (asked) return resendInvitation(ctx, asked.id);
  return invite(ctx, { ...owner, email, isOwner: true, roleIds: [] });
}
