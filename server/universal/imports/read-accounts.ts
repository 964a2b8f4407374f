import { DELIMITERS } from "./parse-table.ts";

/** An account of an IMAP server, and the mailbox that its mail goes to. */
export type ImportAccount = { account: string; secret: string; mailbox: string };

/**
 * Reads accounts from CSV with the columns account, password, and mailbox. Passwords keep their spaces.
 *
 * @param secret for all accounts, such as the credentials of an app. The list then needs no passwords, and a mailbox only where
 *   its address differs from the account's
 * @throws SyntaxError that says what is missing, and in which line
 */
export async function readAccounts(content: string, secret?: string): Promise<ImportAccount[]> {
  const { default: papa } = await import("papaparse");
  const { data, meta } = papa.parse<Partial<Record<string, string>>>(
    content.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n"),
    {
      header: true,
      skipEmptyLines: "greedy",
      transformHeader: (name) => name.trim().toLowerCase(),
      delimitersToGuess: DELIMITERS,
    },
  );
  const hasOne = secret !== undefined;
  const columns = hasOne ? ["account"] : ["account", "password", "mailbox"];
  const missing = columns.filter((name) => !meta.fields?.includes(name));
  if (missing.length > 0)
    throw new SyntaxError(
      `The first line must be ${columns.join(",")}. Missing: ${missing.join(", ")}`,
    );
  const parts = hasOne ? "an account" : "an account, a password and a mailbox";
  const accounts = data.map(({ account = "", password = "", mailbox = "" }, at) => {
    const read = {
      account: account.trim(),
      secret: secret ?? password,
      mailbox: mailbox.trim() || (hasOne ? account.trim() : ""),
    };
    // The headings are line 1.
    if (!read.account || !read.secret || !read.mailbox)
      throw new SyntaxError(`Line ${at + 2} needs ${parts}`);
    return read;
  });
  if (accounts.length === 0) throw new SyntaxError("The list has no accounts");
  return accounts;
}
