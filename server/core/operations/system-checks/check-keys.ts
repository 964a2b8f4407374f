import { and, asc, eq } from "drizzle-orm";

import { dkimKeys, domains } from "#drizzle/schema/index.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { InstanceKeyError } from "#server/core/shared/secrets/instance-key.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { isOpenable } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

import { failed, type Finding, ok, shortList } from "./finding.ts";

const PART = "keys";
const NAMED_MAX = 5;

const describeOpened = (keys: number) =>
  keys === 0 ? "" : `, and can open ${pluralize(keys, "DKIM key")}`;

/** Checks that this host has the database's instance key and can open every domain's DKIM key. */
export async function checkKeys(db: Db): Promise<Finding> {
  try {
    await requireInstanceKey(db);
  } catch (error) {
    if (!(error instanceof InstanceKeyError)) throw error;
    return failed(PART, error.message, "Posthouse won't start without this key");
  }
  const rows = await db
    .select({ name: domains.name, sealed: dkimKeys.sealedPrivateKey })
    .from(dkimKeys)
    .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
    .where(and(eq(dkimKeys.algorithm, "rsa"), eq(dkimKeys.state, "active")))
    .orderBy(asc(domains.name));
  const broken = rows
    .filter(({ sealed }) => !isOpenable("dkim_key", sealed))
    .map(({ name }) => name);
  if (broken.length === 0)
    return ok(PART, `The instance key matches${describeOpened(rows.length)}`);
  return failed(
    PART,
    `The DKIM key of ${shortList(broken, { max: NAMED_MAX })} can't be opened: it was sealed with another instance key`,
    "Emails from these domains fail. Restore the database and keys/ from the same backup, or delete the domain and create it again",
  );
}
