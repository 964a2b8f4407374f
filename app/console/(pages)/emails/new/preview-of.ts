import type { TemplateVersion } from "#app/console/(pages)/templates/queries.ts";
import { fillIn } from "#app/console/(pages)/templates/template-variables.ts";

import type { ComposeValues } from "./compose-values.ts";

/** The email's subject and content as they will be sent. */
export function previewOf(
  values: ComposeValues,
  version: TemplateVersion | null,
): { subject: string; html: string; text: string } {
  const { subject, kind, html, text } = values;
  if (!values.template)
    return kind === "html" ? { subject, html, text: "" } : { subject, html: "", text };
  if (!version) return { subject, html: "", text: "" };
  const filled = (content: string) => fillIn(content, valuesFor(version, values.variables));
  return {
    subject: subject || filled(version.subject ?? ""),
    html: filled(version.html),
    text: filled(version.text ?? ""),
  };
}

function valuesFor({ variables }: TemplateVersion, typed: Record<string, string>) {
  const entries = variables.flatMap(({ key, fallbackValue: fallback }) => {
    const value = typed[key] || fallback;
    return value === null ? [] : [[key, String(value)] as const];
  });
  return Object.fromEntries(entries);
}
