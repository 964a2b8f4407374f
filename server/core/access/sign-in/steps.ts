import { createHash, randomBytes } from "node:crypto";

import { and, eq, gt, lt, or, sql } from "drizzle-orm";

import { signInSteps } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

export type StepKind = (typeof signInSteps.$inferInsert)["kind"];

/** A step of signing in that is not over. */
export type Step = {
  kind: StepKind;
  email: string;
  /** What is to be signed, or the sealed secret that is to be confirmed. */
  secret: string | null;
};

const TOKEN_BYTES = 32;
/** Wrong answers that a step bears. */
const FAILURES_MAX = 5;

const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

/** A token of 256 bits for a step. */
export const newToken = () => randomBytes(TOKEN_BYTES).toString("base64url");

/** Where the signed-in session itself is the token of a step, one of each kind. */
export const tokenOfSession = (sessionId: string, kind: StepKind) => `${kind} ${sessionId}`;

/** Begins a step, in place of one with the same token. */
export async function startStep(
  db: Db,
  { token, minutes, ...step }: Step & { token: string; minutes: number },
): Promise<void> {
  const row = {
    ...step,
    failures: 0,
    expiresAt: sql<string>`clock_timestamp() + make_interval(mins => ${minutes})`,
  };
  await db
    .insert(signInSteps)
    .values({ ...row, tokenHash: hashOf(token) })
    .onConflictDoUpdate({ target: signInSteps.tokenHash, set: row });
}

const isIt = (token: string, kind: StepKind) =>
  and(
    eq(signInSteps.tokenHash, hashOf(token)),
    eq(signInSteps.kind, kind),
    gt(signInSteps.expiresAt, sql`clock_timestamp()`),
  );

/**
 * The step that the token names, counting a wrong answer beforehand, so that none of many at the same
 * moment slips by; null when there is none, or it has had five.
 */
export async function tryStep(db: Db, token: string, kind: StepKind): Promise<Step | null> {
  const [step] = await db
    .update(signInSteps)
    .set({ failures: sql`${signInSteps.failures} + 1` })
    .where(and(isIt(token, kind), lt(signInSteps.failures, FAILURES_MAX)))
    .returning();
  return step?.email ? { kind, email: step.email, secret: step.secret } : null;
}

/** Ends the step; false when somebody else did: it is used once. */
export async function endStep(db: Db, token: string, kind: StepKind): Promise<boolean> {
  const ended = await db
    .delete(signInSteps)
    .where(isIt(token, kind))
    .returning({ kind: signInSteps.kind });
  return ended.length > 0;
}

/** Looks at a step, which may be of one of several kinds, without using it up. */
export async function findStep(
  db: Db,
  token: string,
  ...kinds: [StepKind, ...StepKind[]]
): Promise<Step | null> {
  const [step] = await db
    .select()
    .from(signInSteps)
    .where(or(...kinds.map((kind) => isIt(token, kind))));
  return step?.email ? { kind: step.kind, email: step.email, secret: step.secret } : null;
}

/** Ends whatever a person has begun: what it was begun with is no longer good. */
export async function endStepsOf(db: Db, email: string): Promise<void> {
  await db.delete(signInSteps).where(eq(signInSteps.email, email));
}
