import type { Command } from "commander";

import { ShownFailure } from "#server/cli/shown-failure.ts";
import type { Db } from "#server/db/client.ts";

import { print, table } from "./print.ts";

export function addAuditCommand(program: Command): void {
  const audit = program.command("audit").description("verify the audit logs");
  audit
    .command("verify")
    .description("verify that no sealed entry of the audit logs was changed, inserted or deleted")
    .option("--company <name or id>", "verify only this company's audit log", "all")
    .option("--json", "print JSON")
    .action(async ({ company, json }: { company: string; json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { verifyAudit } = await import("#server/core/shared/audit/verify-audit.ts");
      const reports = await withDatabase(async (db) => {
        const found = [];
        for (const one of await findCompanies(db, company))
          found.push({ company: one, ...(await verifyAudit({ db, companyId: one.id })) });
        return found;
      });
      const rows = reports.map(({ company, entries, sealed, problem }) => [
        company.name,
        String(entries),
        String(sealed),
        problem === null ? "✓" : `✗ ${problem.message}`,
      ]);
      print(json, reports, table([["Company", "Entries", "Sealed", "Result"], ...rows]));
      if (reports.some(({ problem }) => problem !== null)) throw new ShownFailure();
    });
}

async function findCompanies(db: Db, company: string): Promise<{ id: string; name: string }[]> {
  if (company === "all") {
    const { listAuditedCompanies } =
      await import("#server/core/shared/audit/list-audited-companies.ts");
    return listAuditedCompanies(db);
  }
  const { getCompany } = await import("#server/core/access/companies/companies.ts");
  const { id, name } = await getCompany(db, company);
  return [{ id, name }];
}
