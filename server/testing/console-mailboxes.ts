import { adminRoles, roles } from "#drizzle/schema/index.ts";
import { createUnit, ensureRootUnit } from "#server/core/mailboxes/org-units/units.ts";
import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { call } from "./call.ts";
import { aSession } from "./console-webhooks.ts";
import { aCompany, aContext, aDomain, aMailbox, anAdmin } from "./factories.ts";

/**
 * A company with the unit Sales, a mailbox in it and one in the root, and the cookies of two admins: one
 * with all mailbox privileges, one with a role limited to Sales.
 */
export async function aMailCompany() {
  const { id: companyId } = await aCompany();
  const domain = await aDomain(companyId);
  const root = await ensureRootUnit({ db: db(), companyId });
  const sales = await createUnit(aContext(companyId), { parentId: null, name: "Sales" });
  const at = (localPart: string) => `${localPart}@${domain.name}`;
  const inRoot = (await aMailbox(domain, { address: at("root") })).address;
  const inSales = (await aMailbox(domain, { address: at("sales"), orgUnitId: sales })).address;
  return {
    companyId,
    domain,
    at,
    root,
    sales,
    inRoot,
    inSales,
    cookie: await aSession(companyId, [...UNIT_PRIVILEGES]),
    ofSales: await aSessionOfRole(companyId, sales),
  };
}

/** The cookie of an admin who has only a role, limited to a unit. */
export async function aSessionOfRole(
  companyId: string,
  orgUnitId: number,
  privileges: readonly Privilege[] = UNIT_PRIVILEGES,
) {
  const { id: adminId } = await anAdmin(companyId);
  const [role] = await db()
    .insert(roles)
    .values({ companyId, name: "Role", privileges: [...privileges], orgUnitId })
    .returning();
  await db().insert(adminRoles).values({ adminId, roleId: role!.id });
  return (await startSession(db(), adminId)).split(";")[0]!;
}

export async function anOwnersSession(companyId: string) {
  const { id } = await anAdmin(companyId, { isOwner: true });
  return (await startSession(db(), id)).split(";")[0]!;
}

type Options = NonNullable<Parameters<typeof call>[1]>;
type Body = Record<string, unknown>;

/** Calls an endpoint about a mailbox. */
export const ask = (
  endpoint: AnyEndpoint,
  cookie: string,
  email: string,
  rest: Omit<Options, "cookie"> = {},
) =>
  call(endpoint, { ...rest, cookie, params: { ...rest.params, email } }) as Promise<{
    status: number;
    body: Body;
  }>;
