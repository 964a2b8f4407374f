import { and, eq, like } from "drizzle-orm";

import { auditEntries, companies, type Company, mailboxes } from "#drizzle/schema/index.ts";
import { mailboxesApi } from "#server/resources/mailboxes/api.ts";
import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";

import { type Answered, call } from "./call.ts";
import { aCompany, aDomain, anAdmin, anApiKey } from "./factories.ts";

type Body = Record<string, unknown>;
type Query = Record<string, string>;

export type MailboxAdmin = Awaited<ReturnType<typeof aMailboxAdmin>>;

/** A company with a domain, and a key whose creator has all mailbox privileges except deleting. */
export async function aMailboxAdmin(privileges: readonly Privilege[] = UNIT_PRIVILEGES) {
  const company = await aCompany();
  const domain = await aDomain(company.id);
  const key = (await anApiKey(company.id, { privileges: [...privileges] })).token;
  return { companyId: company.id, domain, key, ...callsOf(company, domain.name, key) };
}

function callsOf(company: Company, domain: string, key: string) {
  const list = async (query: Query = {}, as = key) => {
    const { body } = await call(mailboxesApi.list, { key: as, query });
    return body as { has_more: boolean; data: Body[] };
  };
  return {
    /** An address of the domain. */
    at: (localPart: string) => `${localPart}@${domain}`,
    create: (body: unknown, as = key) =>
      call(mailboxesApi.create, { key: as, body }) as Promise<Answered & { body: Body }>,
    get: (email: string, as = key) => call(mailboxesApi.get, { key: as, params: { email } }),
    patch: (email: string, body: unknown, as = key) =>
      call(mailboxesApi.update, { key: as, params: { email }, body }),
    list,
    emailsOf: async (query: Query = {}, as = key) =>
      (await list(query, as)).data.map(({ email }) => email),
    /** A key of an owner of the company. */
    async ownersKey() {
      const { id } = await anAdmin(company.id, { isOwner: true });
      return (await anApiKey(company.id, { creatorId: id })).token;
    },
    setCompany: (change: Partial<typeof companies.$inferInsert>) =>
      db().update(companies).set(change).where(eq(companies.id, company.id)),
    /** Audit entries under the key's name, oldest first. */
    audited: () =>
      db()
        .select({ action: auditEntries.action, details: auditEntries.details })
        .from(auditEntries)
        .where(
          and(eq(auditEntries.companyId, company.id), like(auditEntries.actor, "API key Test key")),
        )
        .orderBy(auditEntries.createdAt, auditEntries.id),
  };
}

export async function storedMailbox(address: string) {
  const [row] = await db().select().from(mailboxes).where(eq(mailboxes.address, address));
  return row!;
}

export const notFound = { status: 404, body: { name: "not_found", message: "Mailbox not found" } };
export const invalid = { status: 422, body: { name: "validation_error" } };
export const invalidCursor = { status: 422, body: { message: "Invalid pagination cursor" } };
export const notPermitted = { status: 403, body: { name: "invalid_permission" } };
