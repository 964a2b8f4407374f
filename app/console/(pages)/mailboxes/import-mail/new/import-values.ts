import type { ImportServer } from "#app/console/(pages)/mailboxes/import-mail/queries.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { type Check, required } from "#app/console/ui/form/checks.ts";
import type { useForm } from "#app/console/ui/form/use-form.ts";
import { type ImportAccount, readAccounts } from "#server/universal/imports/read-accounts.ts";

export type Values = Omit<ImportServer, "port"> & {
  preset: PresetName;
  port: string;
  scope: "one" | "list";
  account: string;
  secret: string;
  mailbox: string;
  /** CSV. */
  list: string;
  keepSecret: boolean;
};

export const INITIAL: Values = {
  preset: "gmail",
  host: "imap.gmail.com",
  port: "993",
  security: "tls",
  secretKind: "password",
  scope: "one",
  account: "",
  secret: "",
  mailbox: "",
  list: "",
  keepSecret: true,
};

/** Includes the fields that the server's errors name for a single account. */
export const IMPORT_LABELS = {
  host: "Hostname",
  port: "Port",
  account: "Account",
  secret: "Password",
  mailbox: "Into mailbox",
  list: "CSV data",
};

const ifOne: Check<string, Values> = (value, { scope }) =>
  scope === "one" ? required(value, null) : null;

export const checks: { [Name in keyof Values]?: Check<Values[Name], Values> } = {
  host: required,
  account: ifOne,
  secret: ifOne,
  mailbox: ifOne,
  port: (port) => (/^\d{1,5}$/.test(port.trim()) ? null : "must be a number, such as 993"),
  list: (list, { scope }) => (scope === "list" ? required(list, null) : null),
};

/** The members of the form that its fields use. */
export type ImportForm = Pick<
  ReturnType<typeof useForm<Values, unknown>>,
  "field" | "set" | "values"
>;

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

type Preset = {
  label: string;
  /** Where to find the password. */
  help: string;
  source: Partial<ImportServer>;
};

/** What to fill in for known mail servers. */
export const PRESETS = {
  gmail: {
    label: "Gmail or Google Workspace",
    help: "Use an app password: Google Account, Security, 2-Step Verification, App passwords.",
    source: { host: "imap.gmail.com", port: 993, security: "tls", secretKind: "password" },
  },
  microsoft: {
    label: "Microsoft 365",
    help: "Use an OAuth access token with the scope IMAP.AccessAsUser.All. It expires after about an hour.",
    source: { host: "outlook.office365.com", port: 993, security: "tls", secretKind: "oauth" },
  },
  standard: {
    label: "mailcow, Dovecot, cPanel",
    help: "Use the address and password of the old mailbox, as in a mail app.",
    source: { host: "", port: 993, security: "tls", secretKind: "password" },
  },
  posthouse: {
    label: "Another Posthouse",
    help: "Use the mailbox’s address and password, or an app password.",
    source: { host: "", port: 993, security: "tls", secretKind: "password" },
  },
  other: {
    label: "Another IMAP server",
    help: "Use the same settings as in a mail app.",
    source: {},
  },
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;

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
