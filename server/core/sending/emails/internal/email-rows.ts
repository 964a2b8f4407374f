import type { AddressHeaders } from "#drizzle/schema/index.ts";

import { eventBits } from "#server/core/sending/events/event-type-bits.ts";
import type { AcceptedEmail } from "./check-request.ts";
import { emailSize } from "./email-size.ts";

/** The row of an accepted email, keyed by column name. */
export function emailRow(email: AcceptedEmail) {
  const { id, companyId, apiKeyId, domain, input, state } = email;
  const isSent = state === "sent";
  return {
    id,
    company_id: companyId,
    domain_id: domain.id,
    api_key_id: apiKeyId,
    message_id: isSent ? (input.source?.messageId ?? `<${id}@${domain.name}>`) : null,
    from: input.from,
    subject: input.subject,
    to: input.to.map(({ address }) => address),
    cc: input.cc.map(({ address }) => address),
    bcc: input.bcc.map(({ address }) => address),
    reply_to: input.replyTo.map(({ address }) => address),
    tags: input.tags,
    last_event: state,
    event_types: eventBits([state, ...(email.skipped.length > 0 ? ["suppressed" as const] : [])]),
    is_sent: isSent,
    scheduled_at: state === "scheduled" ? input.scheduledAt : null,
    open_tracking: isSent && domain.openTracking,
    click_tracking: isSent && domain.clickTracking,
    size: emailSize(input),
  };
}

export const bodyRow = ({ id, input }: AcceptedEmail) => ({
  email_id: id,
  address_headers: addressHeaders(input),
  html: input.html,
  text: input.text,
  headers: input.headers,
});

function addressHeaders({
  fromAddress,
  to,
  cc,
  bcc,
  replyTo,
}: AcceptedEmail["input"]): AddressHeaders {
  const { name, address } = fromAddress;
  const hidden = bcc.filter(({ written }) => written !== undefined);
  const from = { name, address };
  return { from, to, cc, replyTo, ...(hidden.length > 0 && { bcc: hidden }) };
}

/** The first events of an email. The newest one decides its state, so `sent` comes last. */
export function eventRows(email: AcceptedEmail) {
  const { id, companyId, state, skipped } = email;
  const event = { email_id: id, company_id: companyId };
  const suppressed = skipped.map((skip) => ({ ...event, type: "suppressed", ...skip }));
  if (state === "suppressed") return suppressed;
  const reason = state === "failed" ? email.reason : null;
  return [...suppressed, { ...event, type: state, recipient: null, reason }];
}
