import { and, eq, inArray, isNotNull } from "drizzle-orm";

import {
  adminIdentities,
  admins,
  type IdentityProvider,
  identityProviders,
  sessions,
  signInSteps,
} from "#drizzle/schema/index.ts";
import { normalizeAccount } from "#server/core/access/sign-in/throttle.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal, unseal } from "#server/core/shared/secrets/seal.ts";

import { findProvider, requireProvider } from "./find-provider.ts";
import { type ProviderClient } from "./internal/connect-provider.ts";
import { checkProvider } from "./check-provider.ts";

/** If the secret is omitted, the current one stays. */
export type TypedProvider = Omit<ProviderClient, "clientSecret"> & {
  clientSecret?: string | undefined;
};

/**
 * Connects the company's identity provider, or changes it. A new issuer or client replaces the provider: its links to
 * admins and mailboxes and its sessions are deleted, and all settings are off.
 *
 * @returns the issuer as in the provider's metadata
 * @throws Refusal `invalid` beginning with the field; `not_allowed` while sign-in with the provider is required
 */
export async function saveProvider(
  ctx: Context,
  typed: TypedProvider,
): Promise<Pick<IdentityProvider, "issuer" | "clientId">> {
  const { issuer } = await checkProvider(typed.issuer);
  const { clientId } = typed;
  await inTransaction(ctx, async (ctx) => {
    await lockCompany(ctx);
    const current = await findProvider(ctx);
    const isSame = current?.issuer === issuer && current.clientId === clientId;
    const { clientSecret } = typed;
    if (isSame) {
      if (
        !clientSecret ||
        unseal("identity_provider_secret", current.sealedClientSecret) === clientSecret
      )
        return;
      await ctx.db
        .update(identityProviders)
        .set({ sealedClientSecret: seal("identity_provider_secret", clientSecret) })
        .where(eq(identityProviders.companyId, ctx.companyId));
      await recordAudit(ctx, "single_sign_on.secret_changed", { issuer });
      return;
    }
    if (!clientSecret)
      throw new Refusal("invalid", "client_secret: is required for a new issuer or client ID");
    if (current) await remove(ctx, current);
    const { companyId } = ctx;
    const sealedClientSecret = seal("identity_provider_secret", clientSecret);
    await ctx.db
      .insert(identityProviders)
      .values({ companyId, issuer, clientId, sealedClientSecret });
    await recordAudit(ctx, "single_sign_on.connected", { issuer, clientId });
  });
  return { issuer, clientId };
}

/**
 * Removes the company's provider, its links to admins and mailboxes, and the sessions that started with it.
 *
 * @throws Refusal `not_found`; `not_allowed` while sign-in with the provider is required
 */
export async function removeProvider(ctx: Context): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockCompany(ctx);
    await remove(ctx, await requireProvider(ctx));
  });
}

/**
 * Unlinks an admin from their account at the provider, such as when it was created again there, and ends the sessions
 * and pending sign-ins that it started. Their next sign-in links the account with their address.
 *
 * @throws Refusal `not_found` if no account is linked
 */
export async function unlinkAdmin(ctx: Context, typed: string): Promise<void> {
  const email = normalizeAccount(typed);
  await inTransaction(ctx, async (ctx) => {
    const ofAdmin = ctx.db
      .select({ id: admins.id })
      .from(admins)
      .where(and(eq(admins.companyId, ctx.companyId), eq(admins.email, email)));
    const ended = await ctx.db
      .delete(adminIdentities)
      .where(inArray(adminIdentities.adminId, ofAdmin))
      .returning({ subject: adminIdentities.subject });
    if (!ended[0]) throw new Refusal("not_found", `No account is linked to ${email}`);
    await ctx.db
      .delete(sessions)
      .where(and(inArray(sessions.userId, ofAdmin), isNotNull(sessions.providerId)));
    const ofCompany = ctx.db
      .select({ id: identityProviders.id })
      .from(identityProviders)
      .where(eq(identityProviders.companyId, ctx.companyId));
    await ctx.db
      .delete(signInSteps)
      .where(and(eq(signInSteps.email, email), inArray(signInSteps.providerId, ofCompany)));
    await recordAudit(ctx, "single_sign_on.unlinked", { email, ...ended[0] });
  });
}

async function remove(
  ctx: Context,
  { issuer, requiredForAdmins, requiredForMailboxes }: IdentityProvider,
): Promise<void> {
  if (requiredForAdmins || requiredForMailboxes)
    throw new Refusal(
      "not_allowed",
      `${requiredForAdmins ? "Admins" : "Mailbox users"} have to sign in with this identity provider. Make single sign-on optional first`,
    );
  await ctx.db.delete(identityProviders).where(eq(identityProviders.companyId, ctx.companyId));
  await recordAudit(ctx, "single_sign_on.removed", { issuer });
}
