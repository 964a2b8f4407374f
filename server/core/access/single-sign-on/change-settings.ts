import { eq } from "drizzle-orm";

import {
  type IdentityProvider,
  identityProviders,
  mailboxIdentities,
} from "#drizzle/schema/index.ts";
import { scheduleCompanyMailAppEnd } from "#server/core/access/sessions/schedule-mail-app-end.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { requireProvider } from "./find-provider.ts";

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
