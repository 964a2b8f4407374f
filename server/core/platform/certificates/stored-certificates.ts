import { and, eq, gt, isNotNull, sql } from "drizzle-orm";

import { certificates } from "#drizzle/schema/index.ts";
import type { Certificate } from "#server/core/platform/tls/check-certificate.ts";
import { seal, unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

/** Identifies the state of all issued certificates: it changes when one is issued or deleted. */
export async function certificatesVersion(db: Db): Promise<string> {
  const [row] = await db.execute<{ version: string }>(sql`
    select count(*) || ' ' || coalesce(max(issued_at)::text, '') as version
    from certificates where issued_at is not null`);
  return row!.version;
}

/** The names that have a certificate, with the time it was issued. */
export async function listIssuedNames(db: Db): Promise<Map<string, string>> {
  const rows = await db
    .select({ name: certificates.name, issuedAt: certificates.issuedAt })
    .from(certificates)
    .where(isNotNull(certificates.issuedAt));
  return new Map(rows.map(({ name, issuedAt }) => [name, issuedAt!]));
}

/** Whether an authority issued a certificate for the name that is still valid. */
export async function hasValidCertificate(db: Db, name: string): Promise<boolean> {
  const [row] = await db
    .select({ name: certificates.name })
    .from(certificates)
    .where(and(eq(certificates.name, name), gt(certificates.notAfter, sql`statement_timestamp()`)));
  return row !== undefined;
}

/** The certificate of a name; null if none has been issued. */
export async function findCertificate(db: Db, name: string): Promise<Certificate | null> {
  const [row] = await db
    .select({ chain: certificates.chain, sealed: certificates.sealedPrivateKey })
    .from(certificates)
    .where(eq(certificates.name, name));
  if (!row?.chain || !row.sealed) return null;
  return { certificate: row.chain, key: unseal("certificate_key", row.sealed) };
}

/** Stores an issued certificate in place of the last one. */
export async function storeCertificate(
  db: Db,
  name: string,
  { certificate, key, notAfter, renewAt }: Certificate & { notAfter: Date; renewAt: Date },
): Promise<void> {
  await db
    .update(certificates)
    .set({
      chain: certificate,
      sealedPrivateKey: seal("certificate_key", key),
      issuedAt: sql`clock_timestamp()`,
      notAfter: notAfter.toISOString(),
      nextAttemptAt: renewAt.toISOString(),
      failures: 0,
      problem: null,
    })
    .where(eq(certificates.name, name));
}
