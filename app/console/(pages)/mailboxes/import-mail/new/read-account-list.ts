import { ConsoleError } from "#app/console/console-client.ts";
import { type ImportAccount, readAccounts } from "#server/universal/imports/read-accounts.ts";

/** @throws ConsoleError for the field `list` */
export async function readAccountList(text: string): Promise<ImportAccount[]> {
  try {
    return await readAccounts(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { message } = error;
    throw new ConsoleError("invalid", message, { status: 422, headers: new Headers() }, [
      { path: "list", code: "invalid", message: `${message}.` },
    ]);
  }
}
