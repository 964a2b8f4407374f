import { and, eq, isNull } from "drizzle-orm";

import { adminIdentities, admins, type IdentityProvider } from "#drizzle/schema/index.ts";
import { count } from "#server/core/platform/monitoring/counters.ts";
import { personAccount } from "#server/core/access/second-factors/factor-owner.ts";
import {
  type SignInResult,
  startFactorStep,
} from "#server/core/access/second-factors/start-factor-step.ts";
import {
  type Identity,
  identifyAccount,
} from "#server/core/access/single-sign-on/identify-account.ts";
import {
  finishProviderAttempt,
  type ProviderAnswer,
} from "#server/core/access/single-sign-on/provider-attempt.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { findPerson } from "./find-person.ts";
import { completeSignIn, type Origin } from "./sign-in.ts";

/**
 * Completes a sign-in at the company's identity provider. The session opens only that company. Admins with a second factor
 * are asked for it, unless the provider counts as one.
 *
 * @throws Refusal `not_signed_in` if the attempt has expired or was used; `not_allowed` if the provider rejects it, or the
 *   account doesn't belong to an admin
 */
export async function finishProviderSignIn(
  db: Db,
  { token, answer, origin }: { token: string; answer: ProviderAnswer; origin: Origin },
): Promise<SignInResult> {
  const by = "identity provider";
  const { provider, identity, succeed } = await finishProviderAttempt(db, "console", {
    ...{ token, answer },
  }).catch((error: unknown) => {
    count("posthouse_sign_ins_total", { service: "console", result: "failed" });
    throw error;
  });
  const email = await db.transaction((tx) => identifyAdmin(tx, provider, identity));
  await succeed();
  const { id: providerId } = provider;
  const person = await findPerson(db, email, { providerId });
  if (!person) throw noAccess(email);
  const step = provider.isSecondFactor
    ? null
    : await startFactorStep(db, personAccount(email), { providerId });
  if (step) return { kind: "second_factor", ...step };
  return {
    kind: "signed_in",
    cookie: await completeSignIn(db, person, { by, origin, providerId }),
  };
}

function identifyAdmin(
  tx: Db,
  { id: providerId, companyId }: IdentityProvider,
  identity: Identity,
): Promise<string> {
  const { subject } = identity;
  return identifyAccount(identity, {
    async findLinked() {
      const linked = await findLinked(tx, providerId, subject);
      if (linked?.disabledAt) throw noAccess(linked.email);
      return linked?.email ?? null;
    },
    async link(email) {
      const [admin] = await tx
        .select({ id: admins.id })
        .from(admins)
        .where(
          and(eq(admins.companyId, companyId), eq(admins.email, email), isNull(admins.disabledAt)),
        );
      if (!admin) throw noAccess(email);
      const added = await tx
        .insert(adminIdentities)
        .values({ providerId, subject, adminId: admin.id })
        .onConflictDoNothing()
        .returning({ adminId: adminIdentities.adminId });
      if (added.length === 0) return false;
      const actor = { kind: "admin", adminId: admin.id, email } as const;
      const ctx = createContext(tx, companyId, actor);
      await recordAudit(ctx, "single_sign_on.linked", { email, subject });
      return true;
    },
    howToUnlink: "Ask an owner to unlink it under Settings, Access",
  });
}

async function findLinked(tx: Db, providerId: string, subject: string) {
  const [linked] = await tx
    .select({ email: admins.email, disabledAt: admins.disabledAt })
    .from(adminIdentities)
    .innerJoin(admins, eq(admins.id, adminIdentities.adminId))
    .where(and(eq(adminIdentities.providerId, providerId), eq(adminIdentities.subject, subject)));
  return linked;
}

const noAccess = (email: string) =>
  new Refusal(
    "not_allowed",
    `${email} has no access to this company. Ask an owner to invite you, or to turn on your access`,
  );
