import { type ImportServer, isApp } from "#app/console/(pages)/mailboxes/import-mail/queries.ts";
import { ConsoleError, type FieldProblem } from "#app/console/console-client.ts";
import { type Check, required } from "#app/console/ui/form/checks.ts";
import type { useForm } from "#app/console/ui/form/use-form.ts";
import { type ImportAccount, readAccounts } from "#server/universal/imports/read-accounts.ts";

export type Values = Omit<ImportServer, "port"> & {
  preset: PresetName;
  port: string;
  scope: "one" | "list";
  account: string;
  secret: string;
  /** JSON. */
  serviceKey: string;
  tenantId: string;
  clientId: string;
  clientSecret: string;
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
  serviceKey: "",
  tenantId: "",
  clientId: "",
  clientSecret: "",
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
  serviceKey: "Service account key",
  tenantId: "Tenant ID",
  clientId: "Client ID",
  clientSecret: "Client secret",
  mailbox: "Into mailbox",
  list: "CSV data",
};

const ifOne: Check<string, Values> = (value, { scope }) =>
  scope === "one" ? required(value, null) : null;

const ifKind =
  (...kinds: Values["secretKind"][]): Check<string, Values> =>
  (value, { secretKind }) =>
    kinds.includes(secretKind) ? required(value, null) : null;

export const checks: { [Name in keyof Values]?: Check<Values[Name], Values> } = {
  host: required,
  account: ifOne,
  secret: (value, values) => (isApp(values.secretKind) ? null : ifOne(value, values)),
  serviceKey: ifKind("google"),
  tenantId: ifKind("microsoft"),
  clientId: ifKind("microsoft"),
  clientSecret: ifKind("microsoft"),
  mailbox: ifOne,
  port: (port) => (/^\d{1,5}$/.test(port.trim()) ? null : "must be a number, such as 993"),
  list: (list, { scope }) => (scope === "list" ? required(list, null) : null),
};

/** The members of the form that its fields use. */
export type ImportForm = Pick<
  ReturnType<typeof useForm<Values, unknown>>,
  "field" | "set" | "values"
>;

/** A test of the connection is about one account, the first. */
const ACCOUNT_PATH = /^(?:accounts\[(\d+)\]\.)?(account|secret|mailbox)$/;

/** Moves the server's errors to the fields that the form shows: those of the only account, or the list with the line. */
export function atFields<Thrown>(error: Thrown, values: Values): Thrown {
  if (!(error instanceof ConsoleError)) return error;
  return Object.assign(error, { fields: error.fields.map((field) => atField(field, values)) });
}

function atField(problem: FieldProblem, { scope, secretKind }: Values): FieldProblem {
  const { path, message } = problem;
  const [, at = 0, field] = ACCOUNT_PATH.exec(path) ?? [];
  const appField = APP_FIELDS[secretKind]?.[field ?? path];
  if (appField !== undefined) return { ...problem, path: appField };
  if (field === undefined) return problem;
  if (scope === "one") return { ...problem, path: field };
  const sentence = /^[A-Z]/.test(message) ? message : `the ${field} ${message}.`;
  // The headings are line 1.
  return { ...problem, path: "list", message: `Line ${Number(at) + 2}: ${sentence}` };
}

/** The fields for errors about an app's credentials, and none for those about its server, which concern the whole form. */
const APP_FIELDS: Partial<Record<Values["secretKind"], Record<string, string>>> = {
  google: { secret: "serviceKey", host: "", port: "" },
  microsoft: { secret: "clientSecret", host: "", port: "" },
};

/** The secret to sign in with: the credentials of an app, or the password of the only account. */
export function secretOf(values: Values): string {
  const { secretKind, tenantId, clientId, clientSecret } = values;
  if (secretKind === "google") return values.serviceKey;
  if (secretKind !== "microsoft") return values.secret;
  return JSON.stringify({
    tenant_id: tenantId.trim(),
    client_id: clientId.trim(),
    client_secret: clientSecret.trim(),
  });
}

type Preset = {
  label: string;
  /** Where to find the password. */
  help: string;
  source: Partial<ImportServer>;
};

const GOOGLE = { host: "imap.gmail.com", port: 993, security: "tls" } as const;
const MICROSOFT = { host: "outlook.office365.com", port: 993, security: "tls" } as const;

/** What to fill in for known mail servers. */
export const PRESETS = {
  googleWorkspace: {
    label: "Google Workspace, all mailboxes",
    help: "An admin gives a service account access to all mailboxes once. Users need no app passwords.",
    source: { ...GOOGLE, secretKind: "google" },
  },
  microsoft365: {
    label: "Microsoft 365, all mailboxes",
    help: "An admin registers an app and gives it access to the mailboxes once. Users enter no passwords.",
    source: { ...MICROSOFT, secretKind: "microsoft" },
  },
  gmail: {
    label: "Gmail or Google Workspace, one account at a time",
    help: "Use an app password: Google Account, Security, 2-Step Verification, App passwords.",
    source: { ...GOOGLE, secretKind: "password" },
  },
  microsoft: {
    label: "Microsoft 365, one account at a time",
    help: "Use an OAuth access token with the scope IMAP.AccessAsUser.All. It expires after about an hour.",
    source: { ...MICROSOFT, secretKind: "oauth" },
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
export async function readAccountList(values: Values): Promise<ImportAccount[]> {
  try {
    const secret = isApp(values.secretKind) ? secretOf(values) : undefined;
    return await readAccounts(values.list, secret);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { message } = error;
    throw new ConsoleError("invalid", message, { status: 422, headers: new Headers() }, [
      { path: "list", code: "invalid", message: `${message}.` },
    ]);
  }
}
