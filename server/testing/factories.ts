import { createPublicKey, randomBytes, randomUUID } from "node:crypto";

import { hash } from "@node-rs/argon2";
import { eq, type SQL, sql } from "drizzle-orm";

import {
  addresses,
  admins,
  aliases,
  type ApiKey,
  companies,
  dkimKeys,
  domains,
  groupMembers,
  groups,
  mailboxes,
  orgUnits,
  people,
  processes,
  suppressions,
  webhooks,
} from "#drizzle/schema/index.ts";
import { createApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { type Context, createContext } from "#server/core/shared/context.ts";
import { ensureRootUnit } from "#server/core/mailboxes/org-units/units.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";
import {
  createTemplate,
  publishTemplate,
  type TemplateInput,
} from "#server/core/sending/templates/templates.ts";
import { newSigningSecret } from "#server/core/webhooks/endpoints/webhooks.ts";
import { db } from "#server/db/pool.ts";

import { DOMAIN_KEY } from "./rsa-keys.ts";

type Overrides<Table extends { $inferInsert: object }> = Partial<Table["$inferInsert"]>;

type AdminOverrides = Overrides<typeof admins> &
  Pick<Overrides<typeof people>, "passwordHash" | "isOperator" | "emailProvenAt">;

/** Unique within this run. */
const unique = () => randomBytes(6).toString("hex");

/** A company for one test. Tests share a database but never a company, so none has to clean up. */
export async function aCompany(overrides: Overrides<typeof companies> = {}) {
  const [company] = await db()
    .insert(companies)
    .values({ name: "Example Ltd", ...overrides })
    .returning();
  return company!;
}

/** A process on another host, alive for a minute. */
export async function aProcess(
  overrides: Omit<Overrides<typeof processes>, "aliveUntil"> & { aliveUntil?: SQL } = {},
) {
  const [process] = await db()
    .insert(processes)
    .values({
      id: randomUUID(),
      role: "web",
      host: "elsewhere",
      pid: 7,
      version: "0",
      startedAt: sql`clock_timestamp() - interval '1 day'`,
      aliveUntil: sql`clock_timestamp() + interval '1 minute'`,
      ...overrides,
    })
    .returning();
  return process!;
}

const LONG_AGO = "2026-01-01 00:00:00+00";

/** An admin, and the person with a confirmed address unless they exist already. */
export async function anAdmin(
  companyId: string,
  {
    passwordHash = null,
    isOperator = false,
    emailProvenAt = LONG_AGO,
    ...overrides
  }: AdminOverrides = {},
) {
  const email = overrides.email ?? `${randomUUID()}@example.com`;
  await db()
    .insert(people)
    .values({ email, passwordHash, isOperator, emailProvenAt })
    .onConflictDoNothing();
  const [admin] = await db()
    .insert(admins)
    .values({ companyId, ...overrides, email })
    .returning();
  return admin!;
}

/** A system context, for calling core functions directly. */
export function aContext(companyId: string): Context {
  return createContext(db(), companyId, { kind: "system", task: "test" });
}

/** A key whose creator has only `privileges`. */
export async function anApiKey(
  companyId: string,
  {
    privileges = ["api_controls"],
    permission = "full_access",
    domainId = null,
    creatorId,
  }: {
    privileges?: Privilege[];
    permission?: ApiKey["permission"];
    domainId?: string | null;
    creatorId?: string;
  } = {},
): Promise<{ id: string; token: string; creatorId: string }> {
  const creator = creatorId ?? (await anAdmin(companyId, { privileges })).id;
  const input = { creatorId: creator, name: "Test key", permission, domainId };
  return { ...(await createApiKey(aContext(companyId), input)), creatorId: creator };
}

const DKIM_PUBLIC_KEY = createPublicKey(DOMAIN_KEY)
  .export({ type: "spki", format: "der" })
  .toString("base64");

/** A verified domain with a DKIM key, unless overridden. */
export async function aDomain(companyId: string, overrides: Overrides<typeof domains> = {}) {
  const [domain] = await db()
    .insert(domains)
    .values({
      companyId,
      name: `${unique()}.example`,
      status: "verified",
      ownershipToken: unique(),
      ownershipProvenAt: new Date().toISOString(),
      ...overrides,
    })
    .returning();
  await db()
    .insert(dkimKeys)
    .values({
      domainId: domain!.id,
      algorithm: "rsa",
      state: "active",
      publicKey: DKIM_PUBLIC_KEY,
      selector: `ph1-${unique()}`,
      sealedPrivateKey: seal("dkim_key", DOMAIN_KEY),
      seenAt: new Date().toISOString(),
    });
  return domain!;
}

/** An address that the company no longer sends to. */
export async function aSuppression(
  companyId: string,
  overrides: Overrides<typeof suppressions> = {},
) {
  await db()
    .insert(suppressions)
    .values({ companyId, email: `${unique()}@example.org`, origin: "manual", ...overrides });
}

type DomainOfTest = { id: string; name: string; companyId: string };

async function anAddress(
  domain: DomainOfTest,
  kind: "mailbox" | "alias" | "group" | "inbound",
  given?: string,
) {
  const address = given ?? `${unique()}@${domain.name}`;
  const { id: domainId, companyId } = domain;
  await db().insert(addresses).values({ address, companyId, domainId, kind });
  return address;
}

/** A mailbox with the password `test password`. */
export async function aMailbox(domain: DomainOfTest, overrides: Overrides<typeof mailboxes> = {}) {
  const address = await anAddress(domain, "mailbox", overrides.address);
  const [mailbox] = await db()
    .insert(mailboxes)
    .values({
      companyId: domain.companyId,
      domainId: domain.id,
      orgUnitId: await ensureRootUnit({ db: db(), companyId: domain.companyId }),
      name: "Ann Example",
      passwordHash: await hash("test password", { memoryCost: 1024, timeCost: 1 }),
      quotaMb: 256,
      store: `${domain.name}/${unique()}`,
      ...overrides,
      address,
    })
    .returning();
  return mailbox!;
}

/** Lets the company's mailboxes forward mail outside without confirmation. */
export const allowForwarding = (companyId: string) =>
  db().update(orgUnits).set({ forwarding: "allowed" }).where(eq(orgUnits.companyId, companyId));

export async function anAlias(domain: DomainOfTest, mailbox: string, given?: string) {
  const address = await anAddress(domain, "alias", given);
  await db().insert(aliases).values({ address, mailbox });
  return address;
}

/** `*@` its name is the domain's catch-all. */
export const anInboundAddress = (domain: DomainOfTest, given?: string) =>
  anAddress(domain, "inbound", given);

export async function aGroup(
  domain: DomainOfTest,
  { members = [], ...overrides }: Overrides<typeof groups> & { members?: string[] } = {},
) {
  const address = await anAddress(domain, "group", overrides.address);
  const [group] = await db()
    .insert(groups)
    .values({ companyId: domain.companyId, ...overrides, address })
    .returning();
  if (members.length > 0)
    await db()
      .insert(groupMembers)
      .values(members.map((member) => ({ groupAddress: address, member })));
  return group!;
}

/** A template, published unless told otherwise. */
export async function aTemplate(
  companyId: string,
  { isPublished = true, ...fields }: Partial<TemplateInput> & { isPublished?: boolean } = {},
): Promise<{ id: string }> {
  const ctx = aContext(companyId);
  const template = await createTemplate(ctx, {
    name: "Order shipped",
    alias: null,
    from: null,
    replyTo: null,
    text: null,
    subject: "Your order {{{ORDER}}}",
    html: "<p>Order {{{ORDER}}}</p>",
    variables: [{ key: "ORDER", type: "string", fallbackValue: null }],
    ...fields,
  });
  if (isPublished) await publishTemplate(ctx, template.id);
  return template;
}

/** A webhook for all events, with its plaintext secret next to the row. */
export async function aWebhook(companyId: string, overrides: Overrides<typeof webhooks> = {}) {
  const signingSecret = newSigningSecret();
  const [webhook] = await db()
    .insert(webhooks)
    .values({
      companyId,
      endpoint: `https://${unique()}.example/hook`,
      events: [...WEBHOOK_EVENT_TYPES],
      sealedSecret: seal("webhook_secret", signingSecret),
      ...overrides,
    })
    .returning();
  return { ...webhook!, signingSecret };
}
