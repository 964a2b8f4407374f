import type { AddressHeaders } from "#drizzle/schema/index.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { eventBits, TEST_BIT } from "#server/core/sending/events/email-events.ts";
import { queuedColumns, queuedEvents } from "#server/core/sending/outbox/queue-rows.ts";

import type { AcceptedEmail } from "./email-request.ts";

/** The row of an accepted email, keyed by column name. */
export function acceptedEmailRow(email: AcceptedEmail) {
  const { id, companyId, apiKeyId, sentByAdminId, domain, input, state } = email;
  const columns =
    state === "sent" || state === "suppressed"
      ? queuedColumns(email, input.source?.messageId)
      : unqueuedColumns(state);
  return {
    id,
    company_id: companyId,
    domain_id: domain.id,
    api_key_id: apiKeyId,
    ...(sentByAdminId !== null && { sent_by_admin_id: sentByAdminId }),
    from: input.from,
    subject: input.subject,
    to: input.to.map(({ address }) => address),
    cc: input.cc.map(({ address }) => address),
    bcc: input.bcc.map(({ address }) => address),
    reply_to: input.replyTo.map(({ address, written = address }) => written),
    tags: input.tags,
    scheduled_at: state === "scheduled" ? input.scheduledAt : null,
    size: email.size,
    is_test: email.isTest,
    ...columns,
    ...(email.isTest && { event_types: columns.event_types | TEST_BIT }),
  };
}

const unqueuedColumns = (state: "scheduled" | "failed") => ({
  message_id: null,
  last_event: state,
  event_types: eventBits([state]),
  open_tracking: false,
  click_tracking: false,
});

export const bodyRow = ({ id, input }: AcceptedEmail) => ({
  email_id: id,
  address_headers: addressHeaders(input),
  html: input.html,
  text: input.text,
  headers: input.headers,
});

function addressHeaders(input: AcceptedEmail["input"]): AddressHeaders {
  const { fromAddress: from, to, cc, bcc, replyTo } = input;
  const hidden = bcc.filter(({ written }) => written !== undefined);
  return { from, to, cc, replyTo, ...(hidden.length > 0 && { bcc: hidden }) };
}

/** The first events of an email. */
export function eventRows(email: AcceptedEmail) {
  if (email.state === "sent" || email.state === "suppressed") return queuedEvents(email);
  const { id, companyId, state } = email;
  const reason = state === "failed" ? email.reason : null;
  return [{ email_id: id, company_id: companyId, type: state, recipient: null, reason }];
}

/** Approximate octets of bodies and attachments: the memory that composing takes. */
export const emailSize = ({ html, text, attachments, source }: EmailInput): number =>
  Buffer.byteLength(html ?? "") +
  Buffer.byteLength(text ?? "") +
  (source?.content.length ?? attachments.reduce((sum, { content }) => sum + content.length, 0));
