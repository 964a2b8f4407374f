import { z } from "zod";

import type { EmailEvent, HeaderAddress } from "#drizzle/schema/index.ts";
import { csvDownload, Download, exportPages } from "#server/http/downloads.ts";
import { countedList, pageList, PageQuery } from "#server/http/lists.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import { checkEmail } from "#server/core/mail/email-check/check-email.ts";
import { cancelEmail, rescheduleEmail } from "#server/core/sending/emails/scheduled-emails.ts";
import { composeSource } from "#server/core/sending/emails/preview-email.ts";
import { getEmailFilterOptions } from "#server/core/sending/emails/search-emails.ts";
import {
  getAttachment,
  type ListedAttachment,
  listAttachments,
} from "#server/core/sending/emails/attachments.ts";
import {
  getEmail,
  listEmailEvents,
  readOrigin,
  listRecipientOutcomes,
  type RecipientOutcome,
} from "#server/core/sending/emails/emails.ts";
import { resendEmail, sendFromConsole } from "#server/core/sending/emails/send-emails.ts";
import type { KeyLock } from "#server/core/sending/idempotency/idempotency.ts";
import { listReceipts } from "#server/core/sending/receipts/receipts.ts";
import { explainOutcome } from "#server/core/sending/server-replies/explain-reply.ts";
import { searchEmails } from "#server/core/sending/emails/search-emails.ts";
import { fetchRemoteImage } from "#server/core/sending/remote-images/fetch-remote-image.ts";
import { renderEmail } from "#server/core/sending/templates/render-emails.ts";
import { explainTls } from "#server/core/sending/transport-security/tls-sessions.ts";
import { formatAddress } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { ApiRequest } from "#server/http/api-request.ts";
import { change, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
import { deferred } from "#server/http/parse.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

import { emailCheckObject } from "./check.ts";
import { EMAIL_COLUMNS, EmailSearchQuery, emailFilters, emailRow } from "./console-list.ts";
import { EmailFields, ScheduledAt } from "./fields.ts";
import { withIdempotency } from "./idempotency.ts";

const EmailPath = pathOf("Email not found", { id: z.uuid() });

/** `position` is the attachment's zero-based position in its email. */
const AttachmentPath = pathOf("Attachment not found", {
  ...EmailPath.shape,
  position: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number),
});

/** An idempotency key: repeating a request with the same `attempt` doesn't send a second email. */
const AttemptQuery = z.object({ attempt: z.uuid().optional() });

/** Runs `work` once per `attempt`, which serves as the idempotency key. Without one, just runs it. */
function withAttempt<Answer>(
  call: { ctx: Context; request: ApiRequest; headers: Headers },
  attempt: string | undefined,
  work: (keyLock: KeyLock | null) => Promise<Answer>,
): Promise<Answer> {
  if (attempt === undefined) return work(null);
  const request = {
    ...call.request,
    headers: { ...call.request.headers, "idempotency-key": attempt },
  };
  return withIdempotency({ ...call, request }, "", work);
}

/** More than an email can have. */
const ALL = { limit: 1_000, after: null, before: null };

/** Larger sources are truncated, since attachments would make the page slow. */
const TRUNCATED_BYTES = 200_000;

function recipientRow(outcome: RecipientOutcome) {
  const { address, state, dsn, message, suppression } = outcome;
  return {
    address,
    field: outcome.field,
    status: state,
    at: optionalTimestamp(outcome.at),
    explanation: explainOutcome({ ...outcome, type: state, recipient: address }),
    reply: dsn === null && message === null ? null : { dsn, message },
    failures: outcome.failures,
    nextAttemptAt: optionalTimestamp(outcome.nextAttemptAt),
    isBeingTried: outcome.isInProgress,
    givenUpAt: optionalTimestamp(outcome.expiresAt),
    suppression: suppression && {
      origin: suppression.origin,
      isOfThisEmail: suppression.isOfThisEmail,
    },
  };
}

const optionalTimestamp = (moment: string | null) =>
  moment === null ? null : consoleTimestamp(moment);

/**
 * Adds display names to bare addresses. Names are part of the content, so the bare addresses are all that is
 * left once the content is deleted.
 */
const formatAddresses = (bare: string[], named: HeaderAddress[] = []): string[] =>
  named.length === bare.length ? named.map(formatAddress) : bare;

const attachmentRow = (file: ListedAttachment) => ({
  position: file.position,
  filename: file.filename,
  contentType: file.contentType,
  contentId: file.contentId,
  size: file.size,
});

const eventRow = (event: EmailEvent) => ({
  id: event.id.toString(),
  type: event.type,
  createdAt: consoleTimestamp(event.createdAt),
  recipient: event.recipient,
  dsn: event.dsn,
  message: event.message,
  reason: event.reason,
  tls: event.tls && explainTls(event.tls),
  server: event.server && `${event.server} (${event.serverAddress})`,
  link: event.link,
  explanation: explainOutcome(event),
});

export const emailsConsole = pageEndpoints("console", "emails", {
  list: read({
    privilege: READ_EMAILS,
    query: PageQuery.and(EmailSearchQuery),
    handle: async ({ ctx, query: { limit, after, before, sort, ...query } }) => {
      const { direction } = sort;
      const filters = emailFilters(query);
      const found = await searchEmails(ctx, { limit, after, before, direction }, filters);
      const { searchedTo } = found;
      return {
        ...(await countedList(found, emailRow)),
        searchedTo: searchedTo && { id: searchedTo.id, at: consoleTimestamp(searchedTo.createdAt) },
      };
    },
  }),

  export: read({
    privilege: READ_EMAILS,
    query: EmailSearchQuery,
    handle({ ctx, query: { sort, ...query } }) {
      const filters = emailFilters(query);
      const pages = exportPages((page) => searchEmails(ctx, page, filters), sort.direction);
      return csvDownload("emails.csv", pages, EMAIL_COLUMNS);
    },
  }),

  check: change({
    privilege: "api_controls",
    body: EmailFields,
    bodyLimit: "sending",
    handle: async ({ ctx, body }) =>
      emailCheckObject(await checkEmail(ctx, { key: null, input: await renderEmail(ctx, body) })),
  }),

  compose: change({
    privilege: "api_controls",
    query: AttemptQuery,
    body: deferred(EmailFields, ["missing_required_field"]),
    bodyLimit: "sending",
    handle: ({ query, body, ...call }) =>
      withAttempt(call, query.attempt, async (lease) =>
        sendFromConsole(call.ctx, await renderEmail(call.ctx, body()), lease),
      ),
  }),

  get: read({
    privilege: READ_EMAILS,
    params: EmailPath,
    handle: async ({ ctx, params: { id } }) => {
      const [{ email, body }, origin, recipients, attachments] = await Promise.all([
        getEmail(ctx, id),
        readOrigin(ctx, id),
        listRecipientOutcomes(ctx, id),
        listAttachments(ctx, id),
      ]);
      return {
        id,
        messageId: email.messageId,
        from: email.from,
        to: formatAddresses(email.to, body?.addressHeaders.to),
        cc: formatAddresses(email.cc, body?.addressHeaders.cc),
        bcc: email.bcc,
        replyTo: formatAddresses(email.replyTo, body?.addressHeaders.replyTo),
        subject: email.subject,
        status: email.lastEvent,
        isTest: email.isTest,
        createdAt: consoleTimestamp(email.createdAt),
        sentAt: email.sentAt && consoleTimestamp(email.sentAt),
        scheduledAt: email.scheduledAt && consoleTimestamp(email.scheduledAt),
        tags: email.tags,
        domain: origin.domain,
        apiKey: origin.apiKey && {
          id: origin.apiKey.id,
          name: origin.apiKey.name,
          isRevoked: origin.apiKey.isRevoked,
        },
        sentBy: origin.sentBy,
        recipients: recipients.map(recipientRow),
        attachments: attachments.map(attachmentRow),
        content: body && { html: body.html, text: body.text, headers: body.headers },
      };
    },
  }),

  reschedule: change({
    privilege: "api_controls",
    params: EmailPath,
    body: z.object({ scheduledAt: ScheduledAt }),
    handle: async ({ ctx, params: { id }, body }) => {
      await rescheduleEmail(ctx, id, body.scheduledAt);
      return { id };
    },
  }),

  listEvents: read({
    privilege: READ_EMAILS,
    params: EmailPath,
    query: PageQuery,
    handle: async ({ ctx, params, query }) =>
      pageList(await listEmailEvents(ctx, params.id, query), eventRow),
  }),

  cancel: change({
    privilege: "api_controls",
    params: EmailPath,
    handle: async ({ ctx, params: { id } }) => {
      await cancelEmail(ctx, id);
      return { id };
    },
  }),

  resend: change({
    privilege: "api_controls",
    params: EmailPath,
    query: AttemptQuery,
    handle: ({ params, query, ...call }) =>
      withAttempt(call, query.attempt, (lease) => resendEmail(call.ctx, params.id, lease)),
  }),

  getSource: read({
    privilege: READ_EMAILS,
    params: EmailPath,
    handle: async ({ ctx, params }) => {
      const message = await composeSource(ctx, params.id);
      const shown = message.subarray(0, TRUNCATED_BYTES);
      return { message: shown.toString("latin1"), size: message.length };
    },
  }),

  download: read({
    privilege: READ_EMAILS,
    params: EmailPath,
    handle: async ({ ctx, params: { id } }) =>
      new Download(`${id}.eml`, "application/octet-stream", await composeSource(ctx, id)),
  }),

  downloadReceipts: read({
    privilege: READ_EMAILS,
    params: EmailPath,
    handle: async ({ ctx, params: { id } }) => {
      const { rows } = await listReceipts(ctx, id, ALL);
      const receipts = rows.map(({ claims, signature }) => ({ ...claims, signature }));
      const text = JSON.stringify({ data: receipts }, null, 2);
      return new Download(`receipts-${id}.json`, "application/json", Buffer.from(text));
    },
  }),

  getAttachment: read({
    privilege: READ_EMAILS,
    params: AttachmentPath,
    handle: async ({ ctx, params: { id, position } }) => {
      const { content } = await getAttachment(ctx, id, position);
      return { content: content.toString("base64") };
    },
  }),

  loadRemoteImage: change({
    privilege: READ_EMAILS,
    // In the body, so that no log has the URL, which may identify the recipient.
    body: z.object({ url: z.string().max(4_000) }),
    async handle({ body }) {
      const { type, content } = await fetchRemoteImage(body.url);
      return { type, content: content.toString("base64") };
    },
  }),

  downloadAttachment: read({
    privilege: READ_EMAILS,
    params: AttachmentPath,
    handle: async ({ ctx, params: { id, position } }) => {
      const { filename, content } = await getAttachment(ctx, id, position);
      // The generic type keeps browsers from opening a stranger's file.
      return new Download(
        filename ?? `attachment-${position + 1}`,
        "application/octet-stream",
        content,
      );
    },
  }),

  getChoices: read({
    privilege: READ_EMAILS,
    handle: async ({ ctx }) => {
      const { domains, keys } = await getEmailFilterOptions(ctx);
      return {
        domains: domains.map(({ id, name, canSend }) => ({ id, name, maySend: canSend })),
        keys: keys.map(({ id, name, isRevoked }) => ({ id, name, isRevoked })),
      };
    },
  }),
});
