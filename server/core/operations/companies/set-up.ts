import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { and, eq, isNotNull, or } from "drizzle-orm";

import { admins, companies, people } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { requireStrongPassword } from "#server/core/access/admins/password.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { startChecks } from "#server/core/operations/system-checks/run-checks.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { derivedSecret, readOrCreateSecret } from "#server/core/shared/secrets/instance-key.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { removeFile } from "#server/processes/open-no-follow.ts";

import { createCompany } from "./create-company.ts";

export type FirstRun = {
  token: string;
  companyName: string;
  owner: { name: string; email: string; password: string };
};

async function getSetUpState(db: Db, token: string): Promise<"open" | "token_needed" | "finished"> {
  if (await isSetUp(db)) return "finished";
  return (await isSetupToken(token)) ? "open" : "token_needed";
}

/**
 * Creates the first company with its owner, who also becomes an operator.
 *
 * @returns the Set-Cookie value that signs the owner in
 * @throws Refusal `wrong_setup_token`, `already_exists` if a company exists, `invalid`
 */
export async function setUp(db: Db, { token, companyName, owner }: FirstRun): Promise<string> {
  requireOpen(await getSetUpState(db, token));
  const known = [owner.email.split("@")[0]!, owner.name, companyName];
  await requireStrongPassword(owner.password, known, "owner.password");
  const ownerId = await db.transaction(async (tx) => {
    await lock(tx, "setUp");
    requireOpen(await getSetUpState(tx, token));
    const made = await createCompany(tx, { name: companyName, owner });
    await tx.update(people).set({ isOperator: true }).where(eq(people.email, made.owner.email));
    return made.owner.id;
  });
  removeSetupToken(config().dataFolder);
  return startSession(db, ownerId);
}

function requireOpen(state: Awaited<ReturnType<typeof getSetUpState>>): void {
  if (state === "finished")
    throw new Refusal("already_exists", "Posthouse is already set up. Sign in instead");
  if (state === "token_needed")
    throw new Refusal(
      "wrong_setup_token",
      "The setup link is not valid. Use the link that posthouse start prints",
    );
}

export type FirstRunState = {
  state: Awaited<ReturnType<typeof getSetUpState>>;
  /** Null without a valid token. */
  server: { hostname: string; url: string; isLocal: boolean } | null;
};

// Older findings could be from another network.
const FRESH_SECONDS = 60;

/** The state of the first run. With a valid token, starts the system checks, so that they end while the form is filled in. */
export async function getFirstRunState(db: Db, token: string): Promise<FirstRunState> {
  const state = await getSetUpState(db, token);
  if (state !== "open") return { state, server: null };
  await startChecks(db, { olderThanSeconds: FRESH_SECONDS });
  const { hostname, baseUrl: url, localMode: isLocal } = config();
  return { state, server: { hostname, url, isLocal } };
}

/**
 * Whether a company has an owner, which ends the first run. The sandbox counts if its owner can sign in, as in local
 * mode; on a server it only serves the self-check.
 */
export async function isSetUp(db: Db): Promise<boolean> {
  const [owner] = await db
    .select({ id: admins.id })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .innerJoin(people, eq(people.email, admins.email))
    .where(
      and(
        eq(admins.isOwner, true),
        or(eq(companies.purpose, "customer"), isNotNull(people.passwordHash)),
      ),
    )
    .limit(1);
  return owner !== undefined;
}

/** The file with the token that authorizes creating the first company in the browser. */
export const setupTokenFile = (dataFolder: string) => join(dataFolder, "keys/setup-token");

/** The setup token, stored on first use. All hosts of the instance have the same one. */
export const ensureSetupToken = (dataFolder: string): string =>
  readOrCreateSecret(setupTokenFile(dataFolder), derivedSecret("setup token"));

/** Ends the first run. */
export function removeSetupToken(dataFolder: string): void {
  removeFile(setupTokenFile(dataFolder));
}

/** Compares in constant time. */
export async function isSetupToken(token: string): Promise<boolean> {
  const expected = await readFile(setupTokenFile(config().dataFolder), "utf8").catch(() => null);
  return expected !== null && timingSafeEqual(digest(token), digest(expected));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
