import type { ImportServer } from "#app/console/(pages)/mailboxes/import-mail/queries.ts";
import { type Check, required } from "#app/console/ui/form/checks.ts";
import type { useForm } from "#app/console/ui/form/use-form.ts";

import type { PresetName } from "./presets.ts";

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
export const LABELS = {
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
