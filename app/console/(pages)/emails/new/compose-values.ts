import { fromDateTimeLocal } from "#app/console/(pages)/emails/datetime-local.ts";
import type { TemplateVersion } from "#app/console/(pages)/templates/queries.ts";
import { toNumber } from "#app/console/(pages)/templates/template-variables.ts";

import { readAddresses } from "./address-list.ts";

export type ContentKind = "text" | "html";

/** The fields of the form. Files aren't among them, because a draft can't keep them. */
export type ComposeValues = {
  name: string;
  local: string;
  domain: string;
  to: string;
  cc: string;
  bcc: string;
  replyTo: string;
  subject: string;
  /** "" for an email with content of its own. */
  template: string;
  /** Values of the template's variables. */
  variables: Record<string, string>;
  kind: ContentKind;
  text: string;
  html: string;
  scheduledAt: string;
  tags: string;
};

export type AttachedFile = { filename: string; content: string };

export type ComposedEmail = {
  from: string;
  to: string[];
  cc?: string[];
  bcc?: string[];
  replyTo?: string[];
  subject?: string;
  html?: string;
  text?: string;
  template?: { id: string; variables: Record<string, string | number> };
  scheduledAt?: string;
  tags?: { name: string; value: string }[];
  attachments?: AttachedFile[];
};

/**
 * Turns the form into a `POST /emails` body.
 *
 * @param version the published version of the chosen template
 */
export function composedEmail(
  values: ComposeValues,
  version: TemplateVersion | null,
  attachments: AttachedFile[],
): ComposedEmail {
  const name = values.name.trim();
  const address = `${values.local.trim()}@${values.domain}`;
  const tags = readTags(values.tags);
  const lists = {
    cc: readAddresses(values.cc),
    bcc: readAddresses(values.bcc),
    replyTo: readAddresses(values.replyTo),
  };
  return {
    from: name ? `${quoted(name)} <${address}>` : address,
    to: readAddresses(values.to),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...contentOf(values, version),
    ...(values.scheduledAt && { scheduledAt: fromDateTimeLocal(values.scheduledAt) }),
    ...(tags.length > 0 && { tags }),
    ...(attachments.length > 0 && { attachments }),
  };
}

function contentOf(
  { template, variables, subject, kind, html, text }: ComposeValues,
  version: TemplateVersion | null,
): Pick<ComposedEmail, "subject" | "html" | "text" | "template"> {
  if (!template) return kind === "html" ? { subject, html } : { subject, text };
  const given = (version?.variables ?? []).flatMap(({ key, type }) => {
    const value = variables[key] ?? "";
    return value === "" ? [] : [[key, type === "number" ? toNumber(value) : value] as const];
  });
  return {
    ...(subject.trim() !== "" && { subject }),
    template: { id: template, variables: Object.fromEntries(given) },
  };
}

/** Parses `name=value` pairs, separated by commas or whitespace. */
export function readTags(text: string): { name: string; value: string }[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return { name, value: value.join("=") };
    });
}

/** A display name as a quoted-string (RFC 5322, section 3.2.4). */
const quoted = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`;
