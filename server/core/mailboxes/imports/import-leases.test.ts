import { beforeEach, expect, test } from "vitest";

import { mailImports } from "#drizzle/schema/index.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";

import { finishImport, leaseImport } from "./import-leases.ts";
import { startImports } from "./imports.ts";

const OWNER = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

beforeEach(async () => {
  await db().delete(mailImports);
});

/** A company that imports an account from each of the servers. */
async function anImporting(...hosts: string[]) {
  const { id: companyId } = await aCompany();
  const { address: mailbox } = await aMailbox(await aDomain(companyId));
  for (const host of hosts)
    await startImports(aContext(companyId), OWNER, {
      host,
      port: 993,
      security: "tls",
      secretKind: "password",
      keepsSecret: true,
      accounts: [{ account: "ann", secret: "very secret", mailbox }],
    });
  return companyId;
}

test("leases no more than three imports of a company, and those of others in between", async () => {
  const large = await anImporting(...["a", "b", "c", "d", "e"].map((name) => `${name}.example`));
  const small = await anImporting("a.example", "f.example");
  const leases = [];
  for (let lease = await leaseImport(db()); lease; lease = await leaseImport(db()))
    leases.push(lease);
  const companies = leases.map(({ companyId }) => companyId);
  expect(companies).toEqual([large, small, large, small, large]);
  await finishImport(db(), leases[0]!);
  expect(await leaseImport(db())).toMatchObject({ companyId: large, host: "d.example" });
});

test("leases no more than four imports from a server", async () => {
  const companies = Array.from({ length: 5 }, () => anImporting("imap.example"));
  await Promise.all(companies);
  let leased = 0;
  while (await leaseImport(db())) leased += 1;
  expect(leased).toBe(4);
});
