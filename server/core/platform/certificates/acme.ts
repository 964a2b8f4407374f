import { and, desc, eq, sql } from "drizzle-orm";

import { acmeAccounts, acmeChallenges } from "#drizzle/schema/index.ts";
import { seal, unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { type ChallengeType, createAcmeKey } from "#server/gateways/acme.ts";
import type { Answer, Resolver } from "#server/gateways/dns.ts";
import { probePort } from "#server/gateways/greeting.ts";

/** The account at a certificate authority. All hosts that share the database share it. */
type AcmeAccount = {
  key: string;
  /** Null until the authority has created it. */
  url: string | null;
};

/** Finds the account at an authority, or creates its key. */
export async function findOrCreateAccount(db: Db, directoryUrl: string): Promise<AcmeAccount> {
  const known = await findAccount(db, directoryUrl);
  if (known) return known;
  const sealedPrivateKey = seal("acme_account_key", await createAcmeKey());
  await db.insert(acmeAccounts).values({ directoryUrl, sealedPrivateKey }).onConflictDoNothing();
  return (await findAccount(db, directoryUrl))!;
}

async function findAccount(db: Db, directoryUrl: string): Promise<AcmeAccount | null> {
  const [row] = await db
    .select()
    .from(acmeAccounts)
    .where(eq(acmeAccounts.directoryUrl, directoryUrl));
  return row
    ? { key: unseal("acme_account_key", row.sealedPrivateKey), url: row.accountUrl }
    : null;
}

/** @param url null if the authority no longer knows the account, so that the next order creates it again */
export async function storeAccountUrl(
  db: Db,
  directoryUrl: string,
  url: string | null,
): Promise<void> {
  await db
    .update(acmeAccounts)
    .set({ accountUrl: url })
    .where(eq(acmeAccounts.directoryUrl, directoryUrl));
}

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
export const findHttpAnswer = async (db: Db, token: string): Promise<string | null> =>
  answerWhere(db, and(eq(acmeChallenges.token, token), eq(acmeChallenges.type, "http-01")));

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

/** Where authorities connect to (RFC 8555, 8.3; RFC 8737, 3). Only tests use other ports. */
export type ChallengePorts = { http: number; tls: number };

type Choice =
  /** In order of preference. */
  { types: ChallengeType[] } | { obstacle: string };

/**
 * Decides how to prove that a name is ours, or why an order would fail. Authorities allow few failed orders an
 * hour (Let's Encrypt: five per name), so none is placed for a name that doesn't point to this server.
 */
export async function chooseChallenges(name: string, options: Options): Promise<Choice> {
  const { hostname, hasDnsHook, resolver } = options;
  if (name === hostname && hasDnsHook) return { types: ["dns-01"] };
  const addresses = await addressesOf(resolver, name);
  if (addresses.length === 0)
    return { obstacle: `${name} has no A or AAAA record that points to this server` };
  const own = name === hostname ? addresses : await addressesOf(resolver, hostname);
  if (!addresses.some((address) => own.includes(address)))
    return {
      obstacle: `${name} doesn't point to this server: publish a CNAME record with the value ${hostname}`,
    };
  if (hasDnsHook) return { types: ["dns-01"] };
  return chooseByPorts(name, addresses, options);
}

type Options = {
  hostname: string;
  /** Failed orders in a row. */
  failures: number;
  hasDnsHook: boolean;
  resolver: Resolver;
  ports: ChallengePorts;
};

async function chooseByPorts(
  name: string,
  addresses: string[],
  { ports, failures }: Options,
): Promise<Choice> {
  const [isHttpClosed, isTlsClosed] = await Promise.all([
    isClosed(addresses, ports.http),
    isClosed(addresses, ports.tls),
  ]);
  if (isHttpClosed && isTlsClosed)
    return {
      obstacle: `${name} (${addresses.join(", ")}) refuses connections on ports ${ports.http} and ${ports.tls}: open one of them and forward it to the web port`,
    };
  if (isHttpClosed) return { types: ["tls-alpn-01"] };
  if (isTlsClosed) return { types: ["http-01"] };
  // Both may reach this server or another one: alternate.
  return failures % 2 === 0
    ? { types: ["http-01", "tls-alpn-01"] }
    : { types: ["tls-alpn-01", "http-01"] };
}

async function addressesOf(resolver: Resolver, name: string): Promise<string[]> {
  const recordsOf = (answer: Answer<string>) => (answer.kind === "found" ? answer.records : []);
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  return answers.flatMap(recordsOf);
}

async function isClosed(addresses: string[], port: number): Promise<boolean> {
  const states = await Promise.all(addresses.map((address) => probePort(address, port)));
  return states.every((state) => state === "refused");
}
