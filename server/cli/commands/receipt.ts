import { existsSync, readFileSync } from "node:fs";

import type { Command } from "commander";

import { CommandError } from "#server/cli/command-error.ts";
import { ShownFailure } from "#server/cli/shown-failure.ts";
import type { ReceiptJwks } from "#server/core/sending/receipts/receipt-key.ts";

import { print } from "./print.ts";

const KEYS_URL = "https://HOSTNAME/.well-known/posthouse-receipts.json";

export function addReceiptCommand(program: Command): void {
  const receipt = program.command("receipt").description("verify delivery receipts");
  receipt
    .command("verify")
    .description("verify the receipts in a file, offline")
    .argument(
      "<file>",
      "a response from GET /emails/{id}/receipts, a single receipt, or a bare signature; - reads stdin",
    )
    .option(
      "--keys <file>",
      `public keys, as published at ${KEYS_URL}; this installation's by default`,
    )
    .option("--json", "print JSON")
    .action(async (file: string, { keys, json }: { keys?: string; json?: boolean }) => {
      const { verifyReceipts } = await import("#server/core/sending/receipts/verify-receipts.ts");
      const results = verifyReceipts(read(file), await findKeys(keys));
      const lines = results.map(({ claims, problem }) => {
        const what = `${claims.recipient ?? "?"}, ${claims.delivered_at ?? "?"}`;
        return problem === null ? `✓ ${what}` : `✗ ${what}: ${problem}`;
      });
      print(json, results, lines.join("\n"));
      if (results.some(({ problem }) => problem !== null)) throw new ShownFailure();
    });
  receipt
    .command("keys")
    .description("print this installation's public keys, as published")
    .action(async () => {
      console.log(JSON.stringify(await findKeys(), null, 2));
    });
}

async function findKeys(file?: string): Promise<ReceiptJwks> {
  if (file !== undefined) {
    const { readReceiptKeys } = await import("#server/core/sending/receipts/verify-receipts.ts");
    return readReceiptKeys(read(file));
  }
  const { instanceKeyFile } = await import("#server/core/shared/secrets/instance-key.ts");
  if (!existsSync(instanceKeyFile()))
    throw new CommandError(
      `There is no instance key at ${instanceKeyFile()}. Pass --keys FILE with the keys from ${KEYS_URL}`,
    );
  const { receiptKeys } = await import("#server/core/sending/receipts/receipt-key.ts");
  return receiptKeys();
}

/** @throws CommandError */
function read(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new CommandError(`Can't read ${file}: ${(error as Error).message}`);
  }
}
