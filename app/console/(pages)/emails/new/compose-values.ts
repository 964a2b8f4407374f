import type { TemplateVersion } from "#app/console/(pages)/templates/queries.ts";
import { fillIn, toNumber } from "#app/console/(pages)/templates/template-values.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { fromDateTimeLocal } from "#app/console/ui/datetime-local.ts";
import { formatBytes } from "#app/console/ui/format.ts";
import { splitTypedAddresses } from "#app/console/ui/read-addresses.ts";

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
  const tags = parseTags(values.tags);
  const lists = {
    cc: splitTypedAddresses(values.cc),
    bcc: splitTypedAddresses(values.bcc),
    replyTo: splitTypedAddresses(values.replyTo),
  };
  return {
    from: name ? `${quoted(name)} <${address}>` : address,
    to: splitTypedAddresses(values.to),
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
export function parseTags(text: string): { name: string; value: string }[] {
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

/** Limits of an email's attachments. The server checks them, too. */
export const FILES_BYTES_MAX = 20 * 1024 * 1024;

export const FILES_MAX = 20;

/** What is wrong with the number or size of the files. */
export function attachmentProblem(files: Pick<File, "size">[]): string | null {
  if (files.length > FILES_MAX)
    return `An email can have at most ${FILES_MAX} attachments. Remove some.`;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return size > FILES_BYTES_MAX
    ? `Attachments can have at most ${formatBytes(FILES_BYTES_MAX)} in total. Remove some.`
    : null;
}

/**
 * Files as the API takes them: in base64.
 *
 * @throws ConsoleError about the field `attachments`, if they are too large or can't be read
 */
export async function readFiles(files: File[]): Promise<AttachedFile[]> {
  const problem = attachmentProblem(files);
  if (problem !== null) throw attachmentsError(problem);
  return Promise.all(
    files.map(async (file) => ({ filename: file.name, content: await toBase64(file) })),
  );
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = reader.result as string;
      // "data:text/plain;base64,SGVsbG8="
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () =>
      reject(attachmentsError(`Couldn’t read ${file.name}. Remove it and attach it again.`));
    reader.readAsDataURL(file);
  });
}

const attachmentsError = (message: string) =>
  new ConsoleError("invalid", message, { status: 422, headers: new Headers() }, [
    { path: "attachments", code: "invalid", message },
  ]);
