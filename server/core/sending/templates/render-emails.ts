import { and, eq, inArray, or, sql } from "drizzle-orm";

import { type TemplateVersion, templates, templateVersions } from "#drizzle/schema/index.ts";
import type { EmailContent, EmailInput } from "#server/core/sending/emails/email-input.ts";
import type { BatchEmail } from "#server/core/sending/emails/send-emails.ts";
import {
  readGivenAddress,
  readGivenRecipient,
} from "#server/core/shared/addresses/given-address.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { isOneLine } from "#server/core/shared/text.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import {
  filledLength,
  fillVariables,
  LOADED_MAX,
  type ParsedText,
  parseText,
  RENDERED_MAX,
  resolveValues,
  usedVariables,
  type VariableValues,
} from "./template-content.ts";

const SUBJECT_MAX = 998;
/** As for emails without a template. */
const BODY_MAX = 2_000_000;

/** An email whose content comes from a template. Its own sender, subject and Reply-To win. */
export type TemplatedEmail = Omit<
  EmailContent,
  "from" | "fromAddress" | "subject" | "html" | "text"
> & {
  scheduledAt: Date | null;
  template: { id: string; variables: VariableValues };
  sender: Pick<EmailContent, "from" | "fromAddress"> | null;
  subject: string | null;
};

/** An email of a batch that may use a template. */
export type UnrenderedBatchEmail =
  BatchEmail | { index: number; input: EmailInput | TemplatedEmail };

const isTemplated = (email: EmailInput | TemplatedEmail): email is TemplatedEmail =>
  "template" in email;

/**
 * Fills in the content of an email that uses a template. Other emails are returned as they are.
 *
 * @throws Refusal `invalid` if the company has no published template with this ID or alias, for missing values, or if
 *   the result isn't a valid email; `missing_required_field` if neither email nor template has a sender or a subject
 */
export async function renderEmail(
  ctx: CompanyScope,
  email: EmailInput | TemplatedEmail,
): Promise<EmailInput> {
  if (!isTemplated(email)) return email;
  const versions = await loadPublished(ctx, [email.template.id]);
  return render(email, versions.get(email.template.id), { left: RENDERED_MAX });
}

/** Fills in the emails of a batch that use templates. What `renderEmail` throws becomes the email's error. */
export async function renderBatch(
  ctx: CompanyScope,
  batch: UnrenderedBatchEmail[],
): Promise<BatchEmail[]> {
  const ids = batch.flatMap((email) =>
    "input" in email && isTemplated(email.input) ? [email.input.template.id] : [],
  );
  const versions = await loadPublished(ctx, [...new Set(ids)]);
  const budget = { left: RENDERED_MAX };
  return batch.map((email) => {
    if (!("input" in email)) return email;
    const { index, input } = email;
    if (!isTemplated(input)) return { index, input };
    try {
      return { index, input: render(input, versions.get(input.template.id), budget) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { index, refusal: error };
    }
  });
}

/** A published version. Parsed once per request, because a batch can fill it a hundred times. */
type LoadedVersion = Pick<TemplateVersion, "from" | "replyTo" | "variables"> & {
  subject: ParsedText | null;
  html: ParsedText;
  text: ParsedText | null;
};

/**
 * The published versions by the IDs or aliases that they are asked for with. Null: there is only a draft.
 *
 * @throws Refusal `invalid` if their content is too large together
 */
async function loadPublished(
  { db, companyId }: CompanyScope,
  idsOrAliases: string[],
): Promise<Map<string, LoadedVersion | null>> {
  if (idsOrAliases.length === 0) return new Map();
  const ids = idsOrAliases.filter(isUuid);
  const rows = await db
    .select({
      id: templates.id,
      alias: templates.alias,
      versionId: templates.publishedVersionId,
      length: sql<number>`coalesce(length(${templateVersions.html})
        + coalesce(length(${templateVersions.text}), 0), 0)`,
    })
    .from(templates)
    .leftJoin(templateVersions, eq(templateVersions.id, templates.publishedVersionId))
    .where(
      and(
        eq(templates.companyId, companyId),
        or(inArray(templates.id, ids), inArray(templates.alias, idsOrAliases)),
      ),
    );
  if (rows.reduce((sum, { length }) => sum + length, 0) > LOADED_MAX)
    throw new Refusal("invalid", "The templates of this batch are too large together. Split it");
  const versions = await loadVersions(
    { db, companyId },
    rows.flatMap(({ versionId }) => versionId ?? []),
  );
  return new Map(
    idsOrAliases.flatMap((asked) => {
      const row = rows.find(({ id, alias }) => id === asked.toLowerCase() || alias === asked);
      if (!row) return [];
      const version = row.versionId === null ? null : versions.get(row.versionId);
      return version === undefined ? [] : [[asked, version] as const];
    }),
  );
}

async function loadVersions(
  { db, companyId }: CompanyScope,
  ids: string[],
): Promise<Map<string, LoadedVersion>> {
  const rows = await db
    .select()
    .from(templateVersions)
    .where(and(inArray(templateVersions.id, ids), eq(templateVersions.companyId, companyId)));
  return new Map(
    rows.map(({ id, subject, from, replyTo, html, text, variables }) => [
      id,
      {
        from,
        replyTo,
        variables,
        subject: subject === null ? null : parseText(subject),
        html: parseText(html),
        text: text === null ? null : parseText(text),
      },
    ]),
  );
}

/** @param budget characters that the request may still produce */
function render(
  email: TemplatedEmail,
  version: LoadedVersion | null | undefined,
  budget: { left: number },
): EmailInput {
  if (version === undefined) throw new Refusal("invalid", "template.id: no such template");
  if (version === null)
    throw new Refusal("invalid", "template.id: the template isn't published. Publish it first");
  const values = readValues(email, version);
  const { to, cc, bcc, replyTo, headers, tags, attachments, scheduledAt } = email;
  return {
    to,
    cc,
    bcc,
    headers,
    tags,
    attachments,
    scheduledAt,
    ...(email.sender ?? readSender(version)),
    replyTo: replyTo.length > 0 ? replyTo : readAddresses(version.replyTo ?? []),
    subject: email.subject ?? readSubject(version, values),
    ...renderContent(version, values, budget),
  };
}

function renderContent(
  version: LoadedVersion,
  values: Map<string, string>,
  budget: { left: number },
): Pick<EmailContent, "html" | "text"> {
  budget.left -= contentLength(version, values);
  if (budget.left < 0)
    throw new Refusal("invalid", "template: the request's emails with these values are too long");
  const html = fillVariables(version.html, values);
  const text = version.text === null ? null : fillVariables(version.text, values);
  if (html === "" && !text) throw new Refusal("invalid", "template: has no content");
  return { html: html || null, text };
}

/** @throws Refusal `invalid` if a value is missing or of the wrong type */
function readValues(
  { subject, template }: TemplatedEmail,
  version: LoadedVersion,
): Map<string, string> {
  const parts = [subject === null ? version.subject : null, version.html, version.text];
  const used = new Set(parts.flatMap((part) => usedVariables(part ?? [])));
  const resolved = resolveValues(used, version.variables, template.variables);
  if ("problem" in resolved) throw new Refusal("invalid", `template: ${resolved.problem}`);
  return resolved.values;
}

/** @throws Refusal `invalid` if html or text would be longer than an email without a template may have */
function contentLength({ html, text }: LoadedVersion, values: Map<string, string>): number {
  let sum = 0;
  for (const [name, part] of Object.entries({ html, text: text ?? [] })) {
    const length = filledLength(part, values);
    if (length > BODY_MAX)
      throw new Refusal("invalid", `template: its ${name} with these values is too long`);
    sum += length;
  }
  return sum;
}

function readSender({ from }: LoadedVersion): Pick<EmailContent, "from" | "fromAddress"> {
  const fromAddress = from === null ? null : readGivenAddress(from);
  if (from === null || !fromAddress) throw missingField("from");
  return { from, fromAddress };
}

const readAddresses = (written: string[]) =>
  written.flatMap((address) => readGivenRecipient(address) ?? []);

function readSubject(version: LoadedVersion, values: Map<string, string>): string {
  if (version.subject === null) throw missingField("subject");
  const subject = fillVariables(version.subject, values);
  if (!isOneLine(subject.replaceAll("\t", " ")))
    throw new Refusal("invalid", "subject: must be a single line without control characters");
  if (subject.trim() === "") throw new Refusal("invalid", "subject: must not be empty");
  if (subject.length > SUBJECT_MAX)
    throw new Refusal("invalid", `subject: must be at most ${SUBJECT_MAX} characters`);
  return subject;
}

const missingField = (field: string) =>
  new Refusal(
    "missing_required_field",
    `Missing required field: ${field}. Neither the email nor the template sets it`,
    { fields: [{ path: field, code: "required", message: "is required" }] },
  );
