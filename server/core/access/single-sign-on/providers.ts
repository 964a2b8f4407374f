import { domainToASCII } from "node:url";

import { and, eq, inArray, isNotNull, isNull } from "drizzle-orm";

import {
  adminIdentities,
  admins,
  companies,
  domains,
  type IdentityProvider,
  identityProviders,
  mailboxIdentities,
  sessions,
  signInSteps,
} from "#drizzle/schema/index.ts";
import { scheduleCompanyMailAppEnd } from "#server/core/access/sessions/account-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { normalizeAccount } from "#server/core/access/sign-in/throttle.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import {
  type CompanyScope,
  type Context,
  inTransaction,
  lockCompany,
} from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal, unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

import {
  connectProvider,
  explainProviderError,
  type ProviderClient,
  readIssuer,
} from "./internal/connect-provider.ts";

/** How a sign-in begins: with the typed address, or with the company's sign-in link. */
export type SignInStart = { email: string } | { providerId: string };

/** What a sign-in opens: the console, or a mailbox user's pages at `/account`. */
export type SignInArea = "console" | "account";

/** The company's identity provider; null without one. */
export async function findIdentityProvider({
  db,
  companyId,
}: CompanyScope): Promise<IdentityProvider | null> {
  const [found] = await db
    .select()
    .from(identityProviders)
    .where(eq(identityProviders.companyId, companyId));
  return found ?? null;
}

/** @throws Refusal `not_found` */
async function requireProvider(company: CompanyScope): Promise<IdentityProvider> {
  const provider = await findIdentityProvider(company);
  if (!provider) throw new Refusal("not_found", "No identity provider is connected");
  return provider;
}

/**
 * Finds the provider by its id, or the one of the company that owns the address's domain, whether or not the address exists.
 * Null if there is none, if the company is suspended, or if the provider doesn't sign in to the area.
 */
export async function findProviderToStart(
  db: Db,
  start: SignInStart,
  area: SignInArea,
): Promise<IdentityProvider | null> {
  const isOpen = and(
    isNull(companies.suspendedAt),
    area === "account" ? eq(identityProviders.allowsMailboxes, true) : undefined,
  );
  const [found] =
    "providerId" in start
      ? await db
          .select({ provider: identityProviders })
          .from(identityProviders)
          .innerJoin(companies, eq(companies.id, identityProviders.companyId))
          .where(and(eq(identityProviders.id, start.providerId), isOpen))
      : await db
          .select({ provider: identityProviders })
          .from(identityProviders)
          .innerJoin(companies, eq(companies.id, identityProviders.companyId))
          .innerJoin(domains, eq(domains.companyId, identityProviders.companyId))
          .where(
            and(
              eq(domains.name, domainToASCII(start.email.split("@").at(-1)!)),
              isNotNull(domains.ownershipProvenAt),
              isOpen,
            ),
          );
  return found?.provider ?? null;
}

/** The names whose ownership the company has verified. */
export async function listOwnedDomains({ db, companyId }: CompanyScope): Promise<Set<string>> {
  const rows = await db
    .select({ name: domains.name })
    .from(domains)
    .where(and(eq(domains.companyId, companyId), isNotNull(domains.ownershipProvenAt)));
  return new Set(rows.map(({ name }) => name));
}

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
    const current = await findIdentityProvider(ctx);
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

type Settings = Pick<
  IdentityProvider,
  "requiredForAdmins" | "isSecondFactor" | "allowsMailboxes" | "requiredForMailboxes"
>;

/**
 * Changes who signs in with the provider, who has to, and whether it counts as a second factor. `findSignedIn` and
 * `findAccountUser` reject sessions that aren't allowed any more; they aren't deleted. Those of mail apps end within seconds.
 *
 * @param by the session that makes the change; null for the command line
 * @throws Refusal `not_found`; `not_allowed` before a sign-in has shown that the provider works, or to exclude mailbox users who
 *   have to use it
 */
export async function changeProviderSettings(
  ctx: Context,
  by: Pick<SignedIn, "providerId"> | null,
  change: { [Name in keyof Settings]?: boolean | undefined },
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockCompany(ctx);
    const current = await requireProvider(ctx);
    const next: Settings = {
      requiredForAdmins: change.requiredForAdmins ?? current.requiredForAdmins,
      isSecondFactor: change.isSecondFactor ?? current.isSecondFactor,
      allowsMailboxes: change.allowsMailboxes ?? current.allowsMailboxes,
      requiredForMailboxes: change.requiredForMailboxes ?? current.requiredForMailboxes,
    };
    const turnsOn = (name: keyof Settings) => next[name] && !current[name];
    if (turnsOn("requiredForAdmins") && by?.providerId !== current.id)
      throw new Refusal(
        "not_allowed",
        "Sign in through your identity provider first, so that you don't lock yourself out",
      );
    await requireMailboxesCanSignIn(ctx, current, next);
    await ctx.db
      .update(identityProviders)
      .set(next)
      .where(eq(identityProviders.companyId, ctx.companyId));
    await recordChanges(ctx, current, next);
    // Mail apps may have signed in with the mailbox password.
    if (turnsOn("requiredForMailboxes")) await scheduleCompanyMailAppEnd(ctx);
  });
}

async function requireMailboxesCanSignIn(
  { db }: Context,
  current: IdentityProvider,
  { allowsMailboxes, requiredForMailboxes }: Settings,
): Promise<void> {
  if (!requiredForMailboxes) return;
  if (!allowsMailboxes)
    throw new Refusal(
      "not_allowed",
      "Mailbox users have to sign in with this identity provider. Make single sign-on optional for them first",
    );
  if (current.requiredForMailboxes) return;
  const [linked] = await db
    .select({ mailbox: mailboxIdentities.mailbox })
    .from(mailboxIdentities)
    .where(eq(mailboxIdentities.providerId, current.id))
    .limit(1);
  if (!linked)
    throw new Refusal(
      "not_allowed",
      "Sign in to a mailbox through your identity provider first, to confirm that it works",
    );
}

async function recordChanges(
  ctx: Context,
  { issuer, ...before }: IdentityProvider,
  {
    requiredForAdmins,
    isSecondFactor,
    allowsMailboxes: allows,
    requiredForMailboxes: isRequired,
  }: Settings,
): Promise<void> {
  if (requiredForAdmins !== before.requiredForAdmins) {
    const action = requiredForAdmins ? "required" : "made_optional";
    await recordAudit(ctx, `single_sign_on.${action}`, { issuer });
  }
  if (isSecondFactor !== before.isSecondFactor)
    await recordAudit(ctx, "single_sign_on.second_factor_changed", { isSecondFactor });
  if (allows !== before.allowsMailboxes)
    await recordAudit(ctx, "single_sign_on.mailboxes_changed", { issuer, allows });
  if (isRequired !== before.requiredForMailboxes)
    await recordAudit(ctx, "single_sign_on.mailboxes_required_changed", { issuer, isRequired });
}

export type ProviderMetadata = {
  issuer: string;
  /** Where admins are redirected to. */
  authorizationEndpoint: string;
  tokenEndpoint: string;
};

/**
 * Reads the metadata of a provider. The client ID and secret can only be checked by signing in.
 *
 * @throws Refusal `invalid` for the field `issuer`, if it's unsuitable or can't be reached
 */
export async function checkProvider(typed: string): Promise<ProviderMetadata> {
  const url = readIssuer(typed);
  // Reading the metadata sends neither the client ID nor the secret.
  const client = { issuer: url, clientId: "posthouse", clientSecret: "" };
  const { configuration } = await connectProvider(client).catch((error: unknown) => {
    const { host } = new URL(url);
    const problem = `Couldn't connect to ${host}: ${explainProviderError(error)}`;
    throw new Refusal("invalid", problem, { field: "issuer" });
  });
  const {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    jwks_uri: keys,
  } = configuration.serverMetadata();
  if (!authorization || !token || !keys)
    throw new Refusal(
      "invalid",
      "issuer: doesn't support the authorization code flow, which Posthouse needs. Enable it, or use another provider",
    );
  return { issuer, authorizationEndpoint: authorization, tokenEndpoint: token };
}
