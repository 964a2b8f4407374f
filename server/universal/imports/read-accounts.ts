import { DELIMITERS } from "./parse-table.ts";

/** An account of an IMAP server, and the mailbox that its mail goes to. */
export type ImportAccount = { account: string; secret: string; mailbox: string };

const COLUMNS = ["account", "password", "mailbox"] as const;

/**
 * Reads accounts from CSV with the columns account, password, and mailbox. Passwords keep their spaces.
 *
 * @throws SyntaxError that says what is missing, and in which line
 */
export async function readAccounts(content: string): Promise<ImportAccount[]> {
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
  const missing = COLUMNS.filter((name) => !meta.fields?.includes(name));
  if (missing.length > 0)
    throw new SyntaxError(
      `The first line must be ${COLUMNS.join(",")}. Missing: ${missing.join(", ")}`,
    );
  const accounts = data.map(({ account = "", password = "", mailbox = "" }, at) => {
    // The headings are line 1.
    if (!account.trim() || !password || !mailbox.trim())
      throw new SyntaxError(`Line ${at + 2} needs an account, a password and a mailbox`);
    return { account: account.trim(), secret: password, mailbox: mailbox.trim() };
  });
  if (accounts.length === 0) throw new SyntaxError("The list has no accounts");
  return accounts;
}
