import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { type ImapAccount, ImapSourceError } from "#server/gateways/imap-source.ts";

import { type CountedFolder, listSourceFolders } from "./list-source-folders.ts";
import { connectToSource } from "./open-accounts.ts";
import { readAccount, readSecret, readServer } from "./read-source.ts";

/**
 * Signs in to an account and lists what would be imported.
 *
 * @throws Refusal `invalid`; its fields say whether the server or the password is the reason
 */
export async function checkSource(given: ImapAccount): Promise<CountedFolder[]> {
  const { server, account, value } = readFields({
    server: () => readServer(given),
    account: () => readAccount(given.account),
    value: () => readSecret(given.secret.value),
  });
  const secret = { kind: given.secret.kind, value };
  try {
    const source = await connectToSource({ ...server, account, secret });
    try {
      return await listSourceFolders(source);
    } finally {
      source.close();
    }
  } catch (error) {
    if (!(error instanceof ImapSourceError)) throw error;
    const field = error.kind === "rejected" ? "secret" : "host";
    throw new Refusal("invalid", error.message, { field });
  }
}
