import { ConsoleError } from "#app/console/console-client.ts";

const ACCOUNT_PATH = /^accounts\[(\d+)\]\.(\w+)$/;

/** Moves the server's errors about accounts to the form's fields: those of the only account, or the list with the line. */
export function atFields(error: unknown, scope: "one" | "list"): unknown {
  if (!(error instanceof ConsoleError)) return error;
  const fields = error.fields.map(({ path, code, message }) => {
    const [, at, field] = ACCOUNT_PATH.exec(path) ?? [];
    if (at === undefined || field === undefined) return { path, code, message };
    if (scope === "one") return { path: field, code, message };
    // The headings are line 1.
    return { path: "list", code, message: `Line ${Number(at) + 2}: the ${field} ${message}.` };
  });
  return Object.assign(error, { fields });
}
