import { existsSync } from "node:fs";

import type { Command } from "commander";

import { CommandError, ShownFailure } from "#server/cli/failures.ts";
import type { MailLedger } from "#server/core/operations/ledger/audit-mail.ts";
import type { Ledger } from "#server/core/operations/ledger/ledger.ts";
import type { SigningJwks } from "#server/core/shared/signatures/signing-key.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

import { print, table } from "./print.ts";

export function addLedgerCommand(program: Command): void {
  program
    .command("ledger")
    .description("verify that every recipient of every accepted email and message is accounted for")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { auditLedger } = await import("#server/core/operations/ledger/ledger.ts");
      const { auditMail } = await import("#server/core/operations/ledger/audit-mail.ts");
      const [emails, mail] = await withDatabase((db) =>
        Promise.all([auditLedger(db), auditMail(db)]),
      );
      // The counts of emails stay at the top level, where existing scripts expect them.
      print(json, { ...emails, mail }, describe(emails, mail));
      const unaccounted = emails.unaccounted + mail.unaccounted;
      if (unaccounted === 0) return;
      console.error(
        `posthouse: ${pluralize(unaccounted, "recipient is", "recipients are")} unaccounted for`,
      );
      throw new ShownFailure();
    });
}

function describe(
  { examples: emailExamples, ...emails }: Ledger,
  { examples: mailExamples, ...mail }: MailLedger,
): string {
  const named = [
    ...emailExamples.map(({ emailId: id, ...rest }) => ({ id, ...rest })),
    ...mailExamples.map(({ messageId: id, ...rest }) => ({ id, ...rest })),
  ];
  const doubts = named.map(({ id, recipient, why }) => `${id} ${recipient ?? "?"}: ${why}`);
  return [
    "Emails sent through the API or the console",
    sums(emails),
    "",
    "Messages from mailbox users, groups and mail rules",
    sums(mail),
    ...doubts,
  ].join("\n");
}

/** Lists accepted first and unaccounted last. */
function sums({
  accepted,
  unaccounted,
  ...states
}: Record<"accepted" | "unaccounted", number> & Record<string, number>): string {
  const counts = Object.entries({ accepted, ...states, unaccounted });
  const width = Math.max(...counts.map(([, count]) => String(count).length));
  return table(counts.map(([name, count]) => [`  ${name}`, String(count).padStart(width)]));
}

export function addAuditCommand(program: Command): void {
  const audit = program.command("audit").description("verify the audit logs");
  audit
    .command("verify")
    .description("verify that no sealed entry of the audit logs was changed, inserted or deleted")
    .option("--company <name or id>", "verify only this company's audit log", "all")
    .option("--json", "print JSON")
    .action(async ({ company, json }: { company: string; json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { verifyAudit } = await import("#server/core/shared/audit/audit-seal.ts");
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
    const { listAuditedCompanies } = await import("#server/core/shared/audit/list-audit.ts");
    return listAuditedCompanies(db);
  }
  const { getCompany } = await import("#server/core/access/companies/companies.ts");
  const { id, name } = await getCompany(db, company);
  return [{ id, name }];
}

type VerifyOptions = { keys?: string; dns?: string; json?: boolean };

export function addReceiptCommand(program: Command): void {
  const receipt = program.command("receipt").description("verify delivery receipts");
  receipt
    .command("verify")
    .description("verify the receipts in a file, offline")
    .argument(
      "<file>",
      "a response from GET /emails/{id}/receipts, a single receipt, or a bare signature; - reads stdin",
    )
    .option("--keys <file>", KEYS_HELP)
    .option("--dns <host>", "look up the public key of the server at this host in DNS")
    .option("--json", "print JSON")
    .action(async (file: string, { json, ...where }: VerifyOptions) => {
      const { verifyReceipts } = await import("#server/core/sending/receipts/receipts.ts");
      const { readInput } = await import("#server/cli/input.ts");
      const results = verifyReceipts(await readInput(file), await findKeys(where));
      const lines = results.map(({ claims, problem }) => {
        const what = `${claims.recipient ?? "?"}, ${claims.delivered_at ?? "?"}`;
        return problem === null ? `✓ ${what}` : `✗ ${what}: ${problem}`;
      });
      print(json, results, lines.join("\n"));
      if (results.some(({ problem }) => problem !== null)) throw new ShownFailure();
    });
  receipt
    .command("keys")
    .description("print this server's public keys, as published, or check the record in DNS")
    .option("--dns", "print the TXT record that publishes the key in DNS, and whether DNS has it")
    .action(async ({ dns }: { dns?: boolean }) => {
      if (dns) await checkRecord();
      else console.log(JSON.stringify(await findKeys(), null, 2));
    });
}

async function checkRecord(): Promise<void> {
  const { config } = await import("#server/config.ts");
  const { createResolver } = await import("#server/gateways/dns.ts");
  const { checkSigningKey } =
    await import("#server/core/operations/system-checks/check-signing-key.ts");
  const { signingKeyRecord } = await import("#server/core/shared/signatures/signing-key.ts");
  if (config().localMode)
    throw new CommandError(
      "Local mode has no public hostname for the record. Set POSTHOUSE_HOSTNAME first",
    );
  await findKeys();
  const { name, value } = signingKeyRecord();
  const { state, found } = await checkSigningKey(config(), createResolver(config()));
  console.log(`TXT  ${name}\n     ${value}\n${found}`);
  if (state === "warning") throw new ShownFailure();
}

const KEYS_URL = "https://HOSTNAME/.well-known/posthouse-receipts.json";

/** Help text of `--keys`. */
const KEYS_HELP = `public keys, as published at ${KEYS_URL}; this server's by default`;

/**
 * The public keys to verify signatures with: those of a file, those that a server publishes in DNS, or this
 * server's.
 *
 * @throws CommandError
 */
async function findKeys({ keys, dns }: { keys?: string; dns?: string } = {}): Promise<SigningJwks> {
  if (keys !== undefined && dns !== undefined)
    throw new CommandError("Pass either --keys or --dns, not both");
  if (dns !== undefined) return findDnsKeys(dns);
  if (keys !== undefined) {
    const { readSigningKeys } = await import("#server/core/shared/signatures/jws.ts");
    const { readInput } = await import("#server/cli/input.ts");
    return readSigningKeys(await readInput(keys));
  }
  const { instanceKeyFile } = await import("#server/core/shared/secrets/instance-key.ts");
  if (!existsSync(instanceKeyFile()))
    throw new CommandError(
      `There is no instance key at ${instanceKeyFile()}. Pass --keys FILE with the keys from ${KEYS_URL}`,
    );
  const { signingKeys } = await import("#server/core/shared/signatures/signing-key.ts");
  return signingKeys();
}

async function findDnsKeys(host: string): Promise<SigningJwks> {
  const { config } = await import("#server/config.ts");
  const { createResolver } = await import("#server/gateways/dns.ts");
  const { readDnsKeys, signingKeyName } =
    await import("#server/core/shared/signatures/signing-key.ts");
  const name = signingKeyName(host);
  const answer = await createResolver(config()).txt(name);
  if (answer.kind === "failed")
    throw new CommandError(`Couldn't look up ${name}: ${answer.reason}`);
  return readDnsKeys(name, answer.kind === "found" ? answer.records : []);
}
