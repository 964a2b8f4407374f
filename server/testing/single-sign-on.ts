import { randomUUID } from "node:crypto";

import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { expect } from "vitest";

import { adminIdentities, admins, auditEntries } from "#drizzle/schema/index.ts";
import { sessionsConsole } from "#server/resources/sessions.ts";
import { singleSignOnConsole } from "#server/resources/single-sign-on.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";

import type { TestProvider } from "./an-identity-provider.ts";
import { call } from "./call.ts";
import { aCompany, aDomain, anAdmin } from "./factories.ts";

export const PASSWORD = "correct horse battery";
const passwordHash = hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });
export const own = { "sec-fetch-site": "same-origin" };

let addresses = 0;
export const newAddress = () => `198.51.101.${(addresses += 1)}`;

export const cookies = (answered: { headers: Headers }) =>
  answered.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0]!)
    .filter((cookie) => !cookie.endsWith("="));

/** A company that has connected the provider, with its owner's password session. */
export async function aConnectedCompany(provider: TestProvider) {
  const company = await aCompany({ name: "Alder" });
  const domain = await aDomain(company.id);
  const email = `ann@${domain.name}`;
  const owner = await anAdmin(company.id, {
    email,
    isOwner: true,
    passwordHash: await passwordHash,
  });
  const cookie = (await startSession(db(), owner.id)).split(";")[0]!;
  const { issuer, clientId, clientSecret } = provider;
  const body = { issuer, clientId, clientSecret };
  expect(await call(singleSignOnConsole.save, { cookie, body })).toMatchObject({ status: 200 });
  const user = { sub: randomUUID(), email, email_verified: true };
  return { company, domain, owner, email, cookie, user };
}

export const start = (body: object, address = newAddress()) =>
  call(sessionsConsole.startProviderSignIn, {
    body,
    headers: { ...own, "x-forwarded-for": address },
  });

type Response = { code: string; state: string; iss: string };
export const finish = (step: string, body: Response) =>
  call(sessionsConsole.providerSignIn, {
    body,
    headers: { ...own, cookie: step, "x-forwarded-for": newAddress() },
  });

export const statusOfMe = async (cookie: string) =>
  (await call(sessionsConsole.getMe, { cookie })).status;
export const messageOf = ({ body }: { body: unknown }) => (body as { message: string }).message;

export async function actionsOf(companyId: string) {
  const rows = await db()
    .select({ action: auditEntries.action })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, companyId));
  return rows.map(({ action }) => action);
}

export const adminOf = async (companyId: string, email: string) =>
  (await db().select().from(admins).where(eq(admins.email, email))).find(
    (admin) => admin.companyId === companyId,
  )?.id;

export const linksOf = (adminId: string) =>
  db().select().from(adminIdentities).where(eq(adminIdentities.adminId, adminId));
