import type { Command } from "commander";

import { ShownFailure } from "#server/cli/shown-failure.ts";
import type { Ledger } from "#server/core/outbox/ledger.ts";

import { print, table } from "./print.ts";

export function addLedgerCommand(program: Command): void {
  program
    .command("ledger")
    .description("prove that every recipient of every accepted email is accounted for")
    .option("--json", "answer as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { auditLedger } = await import("#server/core/outbox/ledger.ts");
      const ledger = await withDatabase((db) => auditLedger(db));
      print(json, ledger, describe(ledger));
      if (ledger.unaccounted === 0) return;
      console.error(`posthouse: ${ledger.unaccounted} recipients are unaccounted for`);
      throw new ShownFailure();
    });
}

function describe({ accepted, unaccounted, examples, ...states }: Ledger): string {
  const counts = Object.entries({ accepted, ...states, unaccounted });
  const width = Math.max(...counts.map(([, count]) => String(count).length));
  const sums = table(counts.map(([name, count]) => [name, String(count).padStart(width)]));
  const doubts = examples.map(({ emailId, recipient, why }) => `${emailId} ${recipient}: ${why}`);
  return [sums, ...doubts].join("\n");
}
