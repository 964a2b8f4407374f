import { and, eq, isNotNull } from "drizzle-orm";

import { domains, type IdentityProvider, mailboxes } from "#drizzle/schema/index.ts";
import { mailboxAccount } from "#server/core/access/second-factors/factor-owner.ts";
import {
  type SignInResult,
  startFactorStep,
} from "#server/core/access/second-factors/start-factor-step.ts";
import {
  type Identity,
  identifyAccount,
} from "#server/core/access/single-sign-on/identify-account.ts";
import {
  findLinkedMailbox,
  linkMailbox,
} from "#server/core/access/single-sign-on/mailbox-links.ts";
import {
  finishProviderAttempt,
  type ProviderAnswer,
} from "#server/core/access/single-sign-on/provider-attempt.ts";
import { isBeyondOwners } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { confirmSession } from "./confirm-session.ts";
import { type Browser, countSignIn, openSession } from "./sign-in.ts";

/**
 * Completes a mailbox user's sign-in at the company's identity provider. Those with a second factor are asked for it, unless
 * the provider counts as one. If the attempt was started with `startProviderConfirmation`, confirms the session instead.
 *
 * @throws Refusal `not_signed_in` if the attempt has expired or was used; `not_allowed` if the provider rejects it, or the
 *   account doesn't belong to an active mailbox of the company
 */
export async function finishMailboxProviderSignIn(
  db: Db,
  { token, answer, browser }: { token: string; answer: ProviderAnswer; browser: Browser },
): Promise<SignInResult | { kind: "confirmed" }> {
  const finishing = finishProviderAttempt(db, "account", { token, answer });
  finishing.catch(() => countSignIn("failed"));
  const { provider, identity, confirmedSession, succeed } = await finishing;
  if (confirmedSession !== null) {
    const account = { providerId: provider.id, subject: identity.subject };
    await confirmSession(db, confirmedSession, { account, browser });
    await succeed();
    return { kind: "confirmed" };
  }
  const address = await db.transaction((tx) => identifyMailbox(tx, provider, identity));
  await succeed();
  const { id: providerId } = provider;
  const step = provider.isSecondFactor
    ? null
    : await startFactorStep(db, mailboxAccount(address), { providerId });
  if (step) return { kind: "second_factor", ...step };
  const cookie = await openSession(db, address, {
    ...browser,
    ...{ withSecondFactor: false, providerId },
  });
  return { kind: "signed_in", cookie };
}

/** Aliases aren't linked: only the mailbox's own address. */
function identifyMailbox(
  tx: Db,
  { id: providerId, companyId }: IdentityProvider,
  identity: Identity,
): Promise<string> {
  const { subject } = identity;
  return identifyAccount(identity, {
    async findLinked() {
      const linked = await findLinkedMailbox(tx, { providerId, subject });
      if (linked?.suspendedAt) throw mailboxSuspended();
      return linked?.address ?? null;
    },
    async link(address) {
      const [mailbox] = await tx
        .select({ suspendedAt: mailboxes.suspendedAt })
        .from(mailboxes)
        .innerJoin(domains, eq(domains.id, mailboxes.domainId))
        .where(
          and(
            eq(mailboxes.companyId, companyId),
            eq(mailboxes.address, address),
            isNotNull(domains.ownershipProvenAt),
          ),
        );
      if (!mailbox) throw noMailbox(address);
      if (mailbox.suspendedAt) throw mailboxSuspended();
      if (await isBeyondOwners({ db: tx, companyId }, address)) throw beyondProvider(address);
      if (!(await linkMailbox(tx, { providerId, subject, mailbox: address }))) return false;
      const ctx = createContext(tx, companyId, { kind: "mailbox", address });
      await recordAudit(ctx, "single_sign_on.mailbox_linked", { mailbox: address, subject });
      return true;
    },
    howToUnlink: "Ask your company's admin to unlink it on the page of your mailbox",
  });
}

const mailboxSuspended = () => new Refusal("not_allowed", "This mailbox is suspended");

const beyondProvider = (address: string) =>
  new Refusal(
    "not_allowed",
    `${address} receives mail for the sign-in address of an operator or of an admin of another company, so it can't be opened with your company's identity provider. Sign in with its password`,
  );

const noMailbox = (address: string) =>
  new Refusal(
    "not_allowed",
    `${address} isn't a mailbox of this company. Ask your company's admin to create it, or sign in with another account`,
  );
