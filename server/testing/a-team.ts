import { and, eq, sql } from "drizzle-orm";

import {
  adminRoles,
  admins,
  apiKeys,
  auditEntries,
  emailBodies,
  emails,
  invitations,
  roles,
} from "#drizzle/schema/index.ts";
import { invite } from "#server/core/access/invitations/invitations.ts";
import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { db } from "#server/db/pool.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

import { aContext, anAdmin, anApiKey } from "./factories.ts";
import { aRole, asAdmin } from "./team.ts";

/** A team with one of every kind of member. */
export async function aTeam(companyId: string) {
  const tail = companyId.slice(-6);
  const at = (name: string) => `${name}.${tail}@northwind.example`;
  const sales = await createUnit(aContext(companyId), { parentId: null, name: "Sales" });
  const person = (name: string, more: Parameters<typeof anAdmin>[1] = {}) =>
    anAdmin(companyId, { email: at(name.toLowerCase()), name: `${name} Marsh`, ...more });
  const ben = await person("Ben", { privileges: ["domains", "view_audit"] });
  const cleo = await person("Cleo", { disabledAt: "2026-03-04T10:15:00Z" });
  const olga = await person("Olga", { isOwner: true });
  const dan = await anAdmin(companyId, { email: at("dan.with-quite-a-long-address") });
  const helpdesk = await aRole(companyId, {
    name: "Helpdesk",
    privileges: ["view_users", "reset_user_passwords"],
    holders: [ben, cleo],
  });
  const ofSales = await aRole(companyId, {
    name: "Sales desk",
    privileges: ["view_users", "create_users"] as const,
    orgUnitId: sales,
    holders: [ben],
  });
  await aRole(companyId, { name: "Auditor", privileges: ["view_audit"] });
  await anApiKey(companyId, { creatorId: ben.id });
  await db()
    .update(apiKeys)
    .set({ name: "Shop", lastUsedAt: sql`now() - interval '3 hours'` })
    .where(sql`creator_id = ${ben.id}`);
  const input = { name: "", isOwner: false, roleIds: [helpdesk.id] };
  const { token } = await invite(asAdmin(companyId, olga), { ...input, email: at("nia") });
  return { ben, cleo, dan, olga, helpdesk, ofSales, token, at };
}

/** Sends the pending notices of a company, like the worker does. */
export async function sendWaitingNotices(companyId: string): Promise<void> {
  const rows = await db().execute<{ payload: JobPayload<"send_notice"> }>(sql`
    select payload from graphile_worker._private_jobs
    where payload ->> 'companyId' = ${companyId} order by id`);
  for (const { payload } of rows) await sendNotice(db(), payload);
}

/** Audit entries by every kind of actor, plus `more`. */
export async function someAudit(companyId: string, more = 0): Promise<void> {
  const ann = { actor: "ann@northwind.example", actorKind: "admin" };
  const mailbox = "ben@northwind.example";
  const changed = { quotaMb: { from: 5120, to: 10_240 } };
  const entries = [
    { ...ann, action: "mailbox.updated", details: { mailbox, changed } },
    { ...ann, action: "role.created", details: { name: "Helpdesk" } },
    {
      actor: "API key Shop",
      actorKind: "api_key",
      action: "alias.added",
      details: { mailbox, alias: "sales@northwind.example" },
    },
    {
      actor: mailbox,
      actorKind: "mailbox",
      action: "app_password.created",
      details: { mailbox, name: "Phone" },
    },
    {
      actor: "root@host.example",
      actorKind: "operator",
      action: "company.renamed",
      details: { from: "Northwind", to: "Northwind Trading" },
    },
    {
      actor: "system",
      actorKind: "system",
      action: "domain.status_changed",
      details: { name: "northwind.example", before: "pending", after: "verified" },
    },
  ];
  for (const entry of entries)
    await db()
      .insert(auditEntries)
      .values({ companyId, ...entry });
  await db().execute(sql`
    insert into audit_entries (id, company_id, actor, actor_kind, action, details, created_at)
    select uuidv7(), ${companyId}, 'ann@northwind.example', 'admin', 'group.member_added',
      jsonb_build_object('group', 'all@northwind.example', 'member', i || '@northwind.example'),
      now() - i * interval '1 hour'
    from generate_series(1, ${more}::int) as i`);
}

/** The text of the newest email to an address. */
export async function textOfEmailTo(email: string): Promise<string> {
  const [sent] = await db()
    .select({ text: emailBodies.text })
    .from(emails)
    .innerJoin(emailBodies, eq(emailBodies.emailId, emails.id))
    .where(sql`${emails.to} @> array[${email}]::text[]`)
    .orderBy(sql`${emails.createdAt} desc`);
  return sent?.text ?? "";
}

export const endInvitation = (email: string) =>
  db()
    .update(invitations)
    .set({ expiresAt: sql`now() - interval '1 day'` })
    .where(eq(invitations.email, email));

/** Replaces the privileges that an admin has without a role. */
export const hold = (companyId: string, email: string, privileges: string[]) =>
  db()
    .update(admins)
    .set({ privileges })
    .where(and(eq(admins.companyId, companyId), eq(admins.email, email)));

/** Finds a role by name and assigns it to `holder`, if given. */
export async function findRole(companyId: string, name: string, holder?: { id: string }) {
  const isMatch = and(eq(roles.companyId, companyId), eq(roles.name, name));
  const [role] = await db().select().from(roles).where(isMatch);
  if (role && holder) await db().insert(adminRoles).values({ adminId: holder.id, roleId: role.id });
  return role!;
}
