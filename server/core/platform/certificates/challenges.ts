import { and, desc, eq, sql } from "drizzle-orm";

import { acmeChallenges } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

type StoredChallenge = Pick<
  typeof acmeChallenges.$inferSelect,
  "token" | "name" | "type" | "answer"
>;

/** Makes the answer to a challenge available to all web processes. */
export async function publishChallenge(db: Db, challenge: StoredChallenge): Promise<void> {
  await db.insert(acmeChallenges).values(challenge).onConflictDoNothing();
}

/** Deletes the answers for a name after its order, and those of interrupted orders. */
export async function deleteChallenges(db: Db, name: string): Promise<void> {
  await db.delete(acmeChallenges).where(
    sql`${acmeChallenges.name} = ${name}
      or ${acmeChallenges.createdAt} < statement_timestamp() - interval '1 hour'`,
  );
}

/** The response body for HTTP-01 (RFC 8555, 8.3); null if there is no such challenge. */
export async function findHttpAnswer(db: Db, token: string): Promise<string | null> {
  return answerWhere(db, and(eq(acmeChallenges.token, token), eq(acmeChallenges.type, "http-01")));
}

/** The certificate and key to present for TLS-ALPN-01 (RFC 8737), PEM; null if there is no challenge for the name. */
export async function findAlpnAnswer(db: Db, name: string): Promise<string | null> {
  const asked = name.toLowerCase();
  return answerWhere(
    db,
    and(eq(acmeChallenges.name, asked), eq(acmeChallenges.type, "tls-alpn-01")),
  );
}

async function answerWhere(db: Db, condition: ReturnType<typeof and>): Promise<string | null> {
  const [row] = await db
    .select({ answer: acmeChallenges.answer })
    .from(acmeChallenges)
    .where(condition)
    .orderBy(desc(acmeChallenges.createdAt))
    .limit(1);
  return row?.answer ?? null;
}
