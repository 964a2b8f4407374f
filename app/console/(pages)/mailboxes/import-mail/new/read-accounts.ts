import { ConsoleError } from "#app/console/console-client.ts";
import type { NewImports } from "#app/console/(pages)/mailboxes/import-mail/queries.ts";

const COLUMNS = ["account", "password", "mailbox"] as const;

/**
 * Reads accounts from CSV, with semicolons or tabs instead of commas too.
 *
 * @throws ConsoleError for the field `list`
 */
export async function readAccounts(text: string): Promise<NewImports["accounts"]> {
  const { default: papa } = await import("papaparse");
  const { data, meta } = papa.parse<Partial<Record<string, string>>>(
    text.replace(/^\ufeff/, "").replaceAll(/\r\n?/g, "\n"),
    {
      header: true,
      skipEmptyLines: "greedy",
      transformHeader: (name) => name.trim().toLowerCase(),
      delimitersToGuess: [",", ";", "\t"],
    },
  );
  const missing = COLUMNS.filter((name) => !meta.fields?.includes(name));
  if (missing.length > 0)
    throw listError(
      `The first line must be account,password,mailbox. Missing: ${missing.join(", ")}`,
    );
  const accounts = data.map(({ account = "", password = "", mailbox = "" }, at) => {
    // The headings are line 1.
    if (!account.trim() || !password || !mailbox.trim())
      throw listError(`Line ${at + 2} needs an account, a password and a mailbox`);
    return { account: account.trim(), secret: password, mailbox: mailbox.trim() };
  });
  if (accounts.length === 0) throw listError("The list has no accounts");
  return accounts;
}

const listError = (message: string) =>
  new ConsoleError("invalid", message, { status: 422, headers: new Headers() }, [
    { path: "list", code: "invalid", message: `${message}.` },
  ]);
