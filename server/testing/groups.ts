import { asc, eq } from "drizzle-orm";

import { auditEntries } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";

import { aDovecot } from "./a-dovecot.ts";
import { aCompany, aDomain, anApiKey } from "./factories.ts";

/** Configures a Dovecot, which changes of mailboxes and groups need. */
export async function anOwnDovecot() {
  const dovecot = await aDovecot();
  config().dataFolder = dovecot.dataFolder;
  return dovecot;
}

/** A company with a domain, and an API key whose creator has only `privileges`. */
export async function aGroupOwner(privileges: Privilege[] = ["view_groups", "manage_groups"]) {
  const { id: companyId } = await aCompany();
  const domain = await aDomain(companyId);
  return { companyId, domain, key: (await anApiKey(companyId, { privileges })).token };
}

/** The audit log of a company, oldest first: actor, action and details. */
export async function auditOf(companyId: string) {
  const rows = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, companyId))
    .orderBy(asc(auditEntries.createdAt), asc(auditEntries.id));
  return rows
    .filter(({ action }) => action.startsWith("group."))
    .map(({ actor, action, details }) => ({ ...details, actor, action, group: details.group }));
}
