import { splitTypedAddresses } from "#app/console/ui/read-addresses.ts";

import type { TemplateDetail, TemplateToCreate } from "./queries.ts";

/** The fields of the form. */
export type TemplateValues = {
  name: string;
  alias: string;
  from: string;
  replyTo: string;
  subject: string;
  html: string;
  text: string;
  /** Settings of variables by name, also of those that are no longer used. */
  variables: Record<string, EditedVariable>;
};

export const newTemplate: TemplateValues = {
  name: "",
  alias: "",
  from: "",
  replyTo: "",
  subject: "",
  html: "",
  text: "",
  variables: {},
};

export const UNSET: EditedVariable = { type: "string", fallback: "" };

export const templateValues = (template: TemplateDetail): TemplateValues => ({
  name: template.name,
  alias: template.alias ?? "",
  from: template.from ?? "",
  replyTo: (template.replyTo ?? []).join(", "),
  subject: template.subject ?? "",
  html: template.html,
  text: template.text ?? "",
  variables: Object.fromEntries(
    template.variables.map(({ key, type, fallbackValue: fallback }) => [
      key,
      { type, fallback: fallback === null ? "" : String(fallback) },
    ]),
  ),
});

/** The variables that the content uses, in order. */
export const usedNames = ({ subject, html, text }: TemplateValues): string[] =>
  variableNames(subject, html, text);

/** What is sent: the variables are those that are used. */
export const templateFields = (values: TemplateValues): TemplateToCreate => ({
  name: values.name,
  alias: values.alias.trim(),
  from: values.from.trim(),
  reply_to: splitTypedAddresses(values.replyTo),
  subject: values.subject,
  html: values.html,
  text: values.text || null,
  variables: usedNames(values).map((key) => {
    const variable = values.variables[key] ?? UNSET;
    return { key, type: variable.type, fallback_value: fallbackValue(variable) };
  }),
});

/** Matches the same placeholders as server/core/sending/templates/template-content.ts. */
const PLACEHOLDER = /\{\{\{[ \t]*([A-Za-z0-9_]+)[ \t]*\}\}\}/g;

/** A variable as it is edited: the fallback value is text until it is sent. */
export type EditedVariable = { type: "string" | "number"; fallback: string };

/** Values by variable name. */
export type SampleValues = Record<string, string>;

/** The names of the variables in the texts, in order, each once. */
export const variableNames = (...texts: string[]): string[] => [
  ...new Set(texts.flatMap((text) => Array.from(text.matchAll(PLACEHOLDER), ([, name]) => name!))),
];

/** Fills in the values, as emails do. Placeholders without a value stay. */
export const fillIn = (text: string, values: SampleValues): string =>
  text.replaceAll(PLACEHOLDER, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : placeholder,
  );

/** A fallback value as the server expects it. Text that isn't a number stays text, which the server rejects. */
export function fallbackValue({ type, fallback }: EditedVariable): string | number | null {
  if (fallback === "") return null;
  return type === "number" ? toNumber(fallback) : fallback;
}

/** A typed value; text that isn't a number stays text, which the server rejects. */
export function toNumber(text: string): string | number {
  const value = Number(text);
  return text.trim() === "" || Number.isNaN(value) ? text : value;
}
