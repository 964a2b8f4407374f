import type { CompanyScope } from "#server/core/shared/context.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { type ImapAccount, ImapSourceError } from "#server/gateways/imap-source.ts";

import { type CountedFolder, listSourceFolders } from "./list-source-folders.ts";
import { connectToSource } from "./open-accounts.ts";
import { readAccount, readSecret, readServer } from "./read-source.ts";

const TIMEOUT_MS = 60_000;
/** A folder's name can be a literal. */
const LITERAL_BYTES_MAX = 64 * 1024;
/** Checks run in the web process, and each holds what a server sends. */
const CHECKS_PER_COMPANY_MAX = 2;

/** Checks in progress in this process, by company. */
const running = new Map<string, number>();

/**
 * Signs in to an account and lists what would be imported.
 *
 * @throws Refusal `invalid`; its fields say whether the server or the password is the reason. `rate_limit_exceeded` while
 *   others of the company are in progress
 */
export async function checkSource(
  { companyId }: CompanyScope,
  given: ImapAccount,
  { timeoutMs = TIMEOUT_MS } = {},
): Promise<CountedFolder[]> {
  const { server, account, value } = readFields({
    server: () => readServer(given),
    account: () => readAccount(given.account),
    value: () => readSecret(given.secret.value),
  });
  const secret = { kind: given.secret.kind, value };
  const others = running.get(companyId) ?? 0;
  if (others >= CHECKS_PER_COMPANY_MAX)
    throw new Refusal("rate_limit_exceeded", "Other connection tests are running. Retry shortly", {
      retryAfterSeconds: 5,
    });
  running.set(companyId, others + 1);
  try {
    return await listFolders({ ...server, account, secret }, timeoutMs);
  } finally {
    const left = running.get(companyId)! - 1;
    if (left > 0) running.set(companyId, left);
    else running.delete(companyId);
  }
}

async function listFolders(account: ImapAccount, timeoutMs: number): Promise<CountedFolder[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const source = await connectToSource(account, { literalBytesMax: LITERAL_BYTES_MAX, signal });
    try {
      return await listSourceFolders(source);
    } finally {
      source.close();
    }
  } catch (error) {
    if (signal.aborted)
      throw new Refusal("invalid", "The server didn't respond in time", { field: "host" });
    if (!(error instanceof ImapSourceError)) throw error;
    const field = error.kind === "rejected" ? "secret" : "host";
    throw new Refusal("invalid", error.message, { field });
  }
}
