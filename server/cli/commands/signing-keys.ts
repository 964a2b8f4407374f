import { existsSync, readFileSync } from "node:fs";

import { CommandError } from "#server/cli/command-error.ts";
import type { SigningJwks } from "#server/core/shared/signatures/signing-key.ts";

const KEYS_URL = "https://HOSTNAME/.well-known/posthouse-receipts.json";

/** Help text of `--keys`. */
export const KEYS_HELP = `public keys, as published at ${KEYS_URL}; this server's by default`;

/**
 * The public keys to verify signatures with: those of a file, those that a server publishes in DNS, or this
 * server's.
 *
 * @throws CommandError
 */
export async function findKeys({
  keys,
  dns,
}: { keys?: string; dns?: string } = {}): Promise<SigningJwks> {
  if (keys !== undefined && dns !== undefined)
    throw new CommandError("Pass either --keys or --dns, not both");
  if (dns !== undefined) return findDnsKeys(dns);
  if (keys !== undefined) {
    const { readSigningKeys } = await import("#server/core/shared/signatures/read-signed.ts");
    return readSigningKeys(readInput(keys));
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
  const { readDnsKeys, signingKeyName } = await import("#server/core/shared/signatures/dns-key.ts");
  const name = signingKeyName(host);
  const answer = await createResolver(config()).txt(name);
  if (answer.kind === "failed")
    throw new CommandError(`Couldn't look up ${name}: ${answer.reason}`);
  return readDnsKeys(name, answer.kind === "found" ? answer.records : []);
}

/** Reads a file, or stdin for `-`. @throws CommandError */
export function readInput(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new CommandError(`Can't read ${file}: ${(error as Error).message}`);
  }
}
