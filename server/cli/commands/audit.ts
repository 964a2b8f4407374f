import type { Command } from "commander";

import { CommandError } from "#server/cli/command-error.ts";
import { ShownFailure } from "#server/cli/shown-failure.ts";
import type { AuditHead } from "#server/core/shared/audit/audit-head.ts";
import type { ChainProblem } from "#server/core/shared/audit/chain-problem.ts";
import type { AuditReport } from "#server/core/shared/audit/verify-stored-audit.ts";
import type { Db } from "#server/db/client.ts";

import { print, table } from "./print.ts";
import { findKeys, KEYS_HELP, readInput } from "./signing-keys.ts";

type Options = { company: string; keys?: string; dns?: string; heads?: string; json?: boolean };
type Company = { id: string; name: string };
type CompanyReport = Omit<AuditReport, "head" | "accepted"> & {
  company: Company | null;
  head: ShownHead | null;
  accepted: (ChainProblem & { reason: string; accepted_at: string })[];
};

export function addAuditCommand(program: Command): void {
  const audit = program
    .command("audit")
    .description("verify the audit log, and accept problems that have an explanation");
  addVerify(audit);
  addAccept(audit);
  addHead(audit);
}

function addVerify(audit: Command): void {
  audit
    .command("verify")
    .description("verify the hash chains of the audit logs, or an exported audit log offline")
    .argument("[file]", "an audit log exported as JSON without filters; - reads stdin")
    .option("--company <name or id>", "verify only this company's audit log", "all")
    .option(
      "--heads <file>",
      "heads saved earlier (posthouse audit head --json), which must be in the chains",
    )
    .option("--keys <file>", KEYS_HELP)
    .option("--dns <host>", "for a file: look up the public key of the server at this host in DNS")
    .option("--json", "print JSON")
    .action(async (file: string | undefined, options: Options) => {
      const reports =
        file === undefined ? await verifyStored(options) : [await verifyFile(file, options)];
      print(options.json, reports, describeReports(reports));
      if (reports.some(({ problem }) => problem !== null)) throw new ShownFailure();
    });
}

function addAccept(audit: Command): void {
  audit
    .command("accept")
    .description(
      "accept all current problems in a company's audit log, list them, and record them in the log with the reason",
    )
    .requiredOption("--company <name or id>", "the company")
    .requiredOption("--reason <text>", "the explanation, such as a restored backup")
    .option("--heads <file>", "heads saved earlier; accept those that are not in the chain")
    .option("--json", "print JSON")
    .action(async ({ company, reason, heads, json }: Options & { reason: string }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { acceptBreaks } = await import("#server/core/shared/audit/accept-breaks.ts");
      const { getCompany } = await import("#server/core/access/companies/companies.ts");
      const { createContext } = await import("#server/core/shared/context.ts");
      const accepted = await withDatabase(async (db) => {
        const { id } = await getCompany(db, company);
        const actor = { kind: "system", task: "posthouse audit accept" } as const;
        const known = await readHeads(heads);
        return acceptBreaks(createContext(db, id, actor), { reason, known });
      });
      print(json, accepted, accepted.map(({ message }) => `Accepted: ${message}`).join("\n"));
    });
}

function addHead(audit: Command): void {
  audit
    .command("head")
    .description("print the signed heads of the audit logs, to store on another system")
    .option("--company <name or id>", "the company", "all")
    .option("--json", "print JSON, for posthouse audit verify --heads")
    .action(async ({ company, json }: { company: string; json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { getHead } = await import("#server/core/shared/audit/audit-head.ts");
      const found = await withDatabase(async (db) => {
        const companies = await findCompanies(db, company);
        return Promise.all(
          companies.map(async (one) => ({
            company: one,
            read: await getHead({ db, companyId: one.id }),
          })),
        );
      });
      const heads = found.flatMap(({ company, read }) =>
        read?.head ? [{ company, ...showHead(read.head) }] : [],
      );
      const rows = heads.map((head) => [
        ...[head.company.name, String(head.sequence), head.hash, head.sealed_at],
      ]);
      print(json, heads, table([["Company", "Sequence", "Hash", "Sealed at"], ...rows]));
      const invalid = found.flatMap(({ company, read }) =>
        read?.problem ? `The audit log of ${company.name} has no valid head: ${read.problem}` : [],
      );
      if (invalid.length > 0) throw new CommandError(invalid.join("\n"));
    });
}

/** @throws CommandError */
async function verifyStored({ company, heads, keys, dns }: Options): Promise<CompanyReport[]> {
  if (keys !== undefined || dns !== undefined)
    throw new CommandError("--keys and --dns are for exported audit logs. Pass the file too");
  const { withDatabase } = await import("#server/cli/with-database.ts");
  const { verifyStoredAudit } = await import("#server/core/shared/audit/verify-stored-audit.ts");
  return withDatabase(async (db) => {
    const known = await readHeads(heads);
    const companies = await findCompanies(db, company);
    const ids = new Set(companies.map(({ id }) => id));
    if (known.length > 0 && !known.some(({ companyId }) => ids.has(companyId)))
      throw new CommandError("None of the saved heads belongs to a company being verified");
    const reports: CompanyReport[] = [];
    for (const one of companies)
      reports.push(report(one, await verifyStoredAudit({ db, companyId: one.id }, known)));
    return reports;
  });
}

async function verifyFile(
  file: string,
  { company, heads, ...where }: Options,
): Promise<CompanyReport> {
  if (company !== "all")
    throw new CommandError("An exported file has the audit log of one company. Omit --company");
  const { verifyAuditFile } = await import("#server/core/shared/audit/verify-audit-file.ts");
  const known = await readHeads(heads, where);
  return report(null, await verifyAuditFile(readInput(file), await findKeys(where), known));
}

async function findCompanies(db: Db, company: string): Promise<Company[]> {
  if (company === "all") {
    const { listAuditedCompanies } =
      await import("#server/core/shared/audit/list-audited-companies.ts");
    return listAuditedCompanies(db);
  }
  const { getCompany } = await import("#server/core/access/companies/companies.ts");
  const { id, name } = await getCompany(db, company);
  return [{ id, name }];
}

/** @throws Refusal `invalid` for heads with an invalid signature */
async function readHeads(
  file: string | undefined,
  where: { keys?: string; dns?: string } = {},
): Promise<AuditHead[]> {
  if (file === undefined) return [];
  const { readSigned } = await import("#server/core/shared/signatures/read-signed.ts");
  const { requireHead } = await import("#server/core/shared/audit/audit-head.ts");
  const keys = await findKeys(where);
  return readSigned(readInput(file), "heads").map(({ signature }) => requireHead(signature, keys));
}

type ShownHead = {
  company_id: string;
  sequence: number;
  hash: string;
  sealed_at: string;
  signature: string;
};

const showHead = ({ companyId, sequence, hash, sealedAt, signature }: AuditHead): ShownHead => ({
  ...{
    company_id: companyId,
    sequence,
    hash: hash.toString("hex"),
    sealed_at: sealedAt,
    signature,
  },
});

const report = (
  company: Company | null,
  { head, accepted, ...rest }: AuditReport,
): CompanyReport => ({
  ...{ company, ...rest, head: head && showHead(head) },
  accepted: accepted.map(({ acceptedAt, ...one }) => ({
    ...{ ...one, accepted_at: new Date(acceptedAt).toISOString() },
  })),
});

function describeReports(reports: CompanyReport[]): string {
  const nameOf = (company: Company | null, head: ShownHead | null) =>
    company?.name ?? head?.company_id ?? "";
  const rows = reports.map(({ company, head, entries, sealed, erased, problem }) => [
    ...[nameOf(company, head), String(entries), String(sealed), String(erased)],
    problem === null ? "✓" : `✗ ${problem.message}`,
  ]);
  const accepted = reports.flatMap(({ company, head, accepted }) =>
    accepted.map(
      ({ message, reason, accepted_at: at }) =>
        `${nameOf(company, head)}: ${message}. Accepted at ${at}: ${reason}`,
    ),
  );
  const results = table([["Company", "Entries", "Sealed", "Erased", "Result"], ...rows]);
  return [results, ...accepted].join("\n");
}
