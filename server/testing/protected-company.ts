import { randomUUID } from "node:crypto";

import type { mailboxes } from "#drizzle/schema/index.ts";
import { mailboxRules } from "#drizzle/schema/index.ts";
import { PRIVILEGES } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { mailboxAccessConsole } from "#server/resources/mailboxes/access.ts";

import { call } from "./call.ts";
import { aCompany, aDomain, aMailbox, anAdmin, anApiKey } from "./factories.ts";

export type Caller = { cookie: string; key: string };

export let companyId: string;
export let domain: Awaited<ReturnType<typeof aDomain>>;
/** Has every privilege, but isn't an owner. */
export let helpdesk: Caller;
export let owner: Caller;

/** A company with an owner and a help desk. The next call replaces it. */
export async function prepareCompany(): Promise<void> {
  companyId = (await aCompany({ name: "Northwind" })).id;
  domain = await aDomain(companyId);
  await aMailbox(domain, { address: at("helpdesk") });
  helpdesk = await aCaller({ email: at("helpdesk"), privileges: [...PRIVILEGES] });
  owner = await aCaller({ isOwner: true });
}

export const at = (localPart: string) => `${localPart}@${domain.name}`;
export const unique = () => randomUUID().slice(0, 8);
export const ceo = () => at("ceo");

export async function aCaller(
  more: Parameters<typeof anAdmin>[1],
  { company = companyId } = {},
): Promise<Caller> {
  const { id } = await anAdmin(company, more);
  const cookie = (await startSession(db(), id)).split(";")[0]!;
  return { cookie, key: (await anApiKey(company, { creatorId: id })).token };
}

/** An owner who signs in as ceo@, whose address is none of the company's yet. */
export const anOwnerAt = (localPart = "ceo") =>
  anAdmin(companyId, { isOwner: true, email: at(localPart) });

export async function aMailboxOf(
  localPart = "ceo",
  more: Partial<typeof mailboxes.$inferInsert> = {},
) {
  await aMailbox(domain, { address: at(localPart), ...more });
}

export type Ask = (as: Caller) => Promise<{ status: number; body: unknown }>;

export const atConsole =
  (endpoint: AnyEndpoint, params: Record<string, string>, body?: unknown): Ask =>
  ({ cookie }) =>
    call(endpoint, { cookie, params, body });
export const byKey =
  (endpoint: AnyEndpoint, params: Record<string, string>, body?: unknown): Ask =>
  ({ key }) =>
    call(endpoint, { key, params, body });

export const shareOf = (mailbox: string, member = at("helpdesk")) =>
  atConsole(
    mailboxAccessConsole.setShare,
    { email: mailbox },
    { member, access: "read", sendAs: false },
  );

export const forward = (mailbox: string, to: string) =>
  db()
    .insert(mailboxRules)
    .values({ mailbox, forwardTo: [to], scriptId: unique() });

export const refused = { status: 403, body: { name: "invalid_permission" } };
