import { readAddresses } from "#app/console/(pages)/emails/new/compose-values.ts";

import type { TemplateDetail, TemplateToCreate } from "./queries.ts";
import { type EditedVariable, fallbackValue, variableNames } from "./template-variables.ts";

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
  reply_to: readAddresses(values.replyTo),
  subject: values.subject,
  html: values.html,
  text: values.text || null,
  variables: usedNames(values).map((key) => {
    const variable = values.variables[key] ?? UNSET;
    return { key, type: variable.type, fallback_value: fallbackValue(variable) };
  }),
});
