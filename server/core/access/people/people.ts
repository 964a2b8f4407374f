import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { v7 } from "uuid";

import { admins, people } from "#drizzle/schema/index.ts";
import { ownSessions } from "#server/core/access/sessions/console-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { countAttempt, forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import { passwordMark, verifyPassword } from "#server/core/access/sign-in/verify-password.ts";
import type { PersonalNotice } from "#server/core/platform/notices/notify-admins.ts";
import { catchAllOf, withoutTag } from "#server/core/shared/addresses/variants-sql.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Actor, createContext } from "#server/core/shared/context.ts";
import { formatUtc, readOneLine } from "#server/core/shared/text.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/** A person who can sign in at the console. */
export type SignInCandidate = {
  email: string;
  passwordHash: string | null;
  /** Their admin id in the company they last opened. */
  adminId: string;
  companyId: string;
  /** All companies they can open require sign-in with an identity provider. */
  isProviderRequired: boolean;
};

/**
 * Finds the person with this address, in the company they last opened, or else the first one by name. Null if
 * the address is unknown or the person can't open any company.
 *
 * @param providerId finds them in this identity provider's company. Without it, companies that require their provider come
 *   last
 */
export async function findPerson(
  db: Db,
  email: string,
  { providerId = null }: { providerId?: string | null } = {},
): Promise<SignInCandidate | null> {
  const isRequired = sql`(coalesce(i.required_for_admins, false) and ${providerId}::uuid is null)`;
  const [found] = await db.execute<SignInCandidate>(sql`
    select p.email, p.password_hash as "passwordHash", a.id as "adminId",
      a.company_id as "companyId", ${isRequired} as "isProviderRequired"
    from people p join admins a on a.email = p.email join companies c on c.id = a.company_id
      left join identity_providers i on i.company_id = c.id
    where p.email = ${email} and a.disabled_at is null and c.suspended_at is null
      and (${providerId}::uuid is null or i.id = ${providerId}::uuid)
    order by ${isRequired}, c.id = p.last_company_id desc nulls last, c.name, c.id limit 1`);
  return found ?? null;
}

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

/** The operators' addresses, sorted. */
export async function listOperators(db: Db): Promise<string[]> {
  const rows = await db
    .select({ email: people.email })
    .from(people)
    .where(eq(people.isOperator, true))
    .orderBy(people.email);
  return rows.map(({ email }) => email);
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

/**
 * Changes a person's name in each of their companies, or only in the one whose identity provider signed them in.
 *
 * @throws Refusal `invalid` beginning with `name`
 */
export async function renamePerson(
  db: Db,
  signedIn: Pick<SignedIn, "email" | "companyId" | "providerId">,
  typed: string,
): Promise<void> {
  const name = readAdminName(typed);
  const { email, companyId: only = null } = ownSessions(signedIn);
  await db.transaction(async (tx) => {
    const changed = await tx
      .select({ id: admins.id, companyId: admins.companyId, from: admins.name })
      .from(admins)
      .where(
        and(
          eq(admins.email, email),
          ne(admins.name, name),
          only === null ? undefined : eq(admins.companyId, only),
        ),
      )
      .orderBy(admins.companyId)
      .for("no key update");
    for (const { id, companyId, from } of changed) {
      await tx.update(admins).set({ name }).where(eq(admins.id, id));
      const actor = { kind: "admin", adminId: id, email } as const;
      const ctx = createContext(tx, companyId, actor);
      const changed = { name: { from, to: name } };
      await recordAudit(ctx, "admin.updated", { adminId: id, email, changed });
    }
  });
}

/**
 * Enqueues an email about a change to the person's sign-in, so that they notice one they didn't make. Call in
 * the transaction of the change. Does nothing if the person can't open any company.
 */
export async function notifyPerson(
  db: Db,
  { email, what }: { email: string; what: PersonalNotice },
): Promise<void> {
  const person = await findPerson(db, email);
  if (!person) return;
  const notice = { kind: "sign_in_changed", email, what } as const;
  await enqueue(db, "send_notice", { id: v7(), companyId: person.companyId, notice });
}

/**
 * Records an audit entry about a person in each company they are an admin of. Call in the transaction of the
 * change.
 *
 * @param actor who did it; defaults to the person
 */
export async function auditInEachCompany(
  db: Db,
  { email, actor }: { email: string; actor?: Actor },
  action: `${string}.${string}`,
  details: Record<string, unknown>,
): Promise<void> {
  const rows = await db
    .select({ id: admins.id, companyId: admins.companyId })
    .from(admins)
    .where(eq(admins.email, email))
    .orderBy(admins.companyId);
  for (const { id, companyId } of rows) {
    const own = { kind: "admin", adminId: id, email } as const;
    await recordAudit(createContext(db, companyId, actor ?? own), action, details);
  }
}

/**
 * Records that a person has proven to receive mail at their address. Call in the transaction with the proof.
 *
 * @returns false if the address was already confirmed
 */
export async function confirmAddress(db: Db, email: string): Promise<boolean> {
  const confirmed = await db
    .update(people)
    .set({ emailProvenAt: sql`clock_timestamp()` })
    .where(and(eq(people.email, email), isNull(people.emailProvenAt)))
    .returning({ email: people.email });
  return confirmed.length > 0;
}

/** Whether mail to the address arrives on this server, where admins decide who reads it. */
export async function isHosted(db: Db, email: string): Promise<boolean> {
  const address = sql`${email}::text`;
  const [found] = await db.execute<{ isHosted: boolean }>(sql`
    select exists (select from addresses
      where address in (${address}, ${withoutTag(address)}, ${catchAllOf(address)})) as "isHosted"`);
  return found!.isHosted;
}

/** Whether the person, or an operator on their behalf, has confirmed the address. */
export async function isAddressConfirmed(db: Db, email: string): Promise<boolean> {
  const [person] = await db
    .select({ provenAt: people.emailProvenAt })
    .from(people)
    .where(eq(people.email, email));
  return typeof person?.provenAt === "string";
}

/**
 * Asks a signed-in person for their password before a sensitive change. Wrong passwords count toward the
 * sign-in limits.
 *
 * @param clientAddress the client's IP address
 * @throws Refusal `invalid` beginning with `current_password`, `rate_limit_exceeded`
 */
export async function requireOwnPassword(
  db: Db,
  { email, password, clientAddress }: { email: string; password: string; clientAddress: string },
): Promise<void> {
  const mark = passwordMark(email, password);
  const attempt = await countAttempt(db, { account: email, clientAddress, passwordMark: mark });
  const [person] = await db
    .select({ passwordHash: people.passwordHash })
    .from(people)
    .where(eq(people.email, email));
  if (!(await verifyPassword(password, person?.passwordHash ?? null)))
    throw new Refusal("invalid", "current_password: is incorrect");
  await forgetAttempt(db, attempt);
}

const NAME_MAX = 200;

/**
 * Trims and validates an admin's name, which may be empty.
 *
 * @throws Refusal `invalid`
 */
export const readAdminName = (text: string): string =>
  readOneLine(text, "name", { min: 0, max: NAME_MAX });
