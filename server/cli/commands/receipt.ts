import type { Command } from "commander";

import { ShownFailure } from "#server/cli/shown-failure.ts";

import { print } from "./print.ts";
import { findKeys, KEYS_HELP, readInput } from "./signing-keys.ts";

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
      const results = verifyReceipts(readInput(file), await findKeys(where));
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
  await findKeys();
  const { config } = await import("#server/config.ts");
  const { createResolver } = await import("#server/gateways/dns.ts");
  const { checkSigningKey } =
    await import("#server/core/operations/system-checks/check-signing-key.ts");
  const { signingKeyRecord } = await import("#server/core/shared/signatures/dns-key.ts");
  const { name, value } = signingKeyRecord();
  const settings = { ...config(), localMode: false };
  const { state, found } = await checkSigningKey(settings, createResolver(settings));
  console.log(`TXT  ${name}\n     ${value}\n${found}`);
  if (state === "warning") throw new ShownFailure();
}
