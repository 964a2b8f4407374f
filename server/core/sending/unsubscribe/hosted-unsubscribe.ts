import { sql } from "drizzle-orm";
import { v7 } from "uuid";

import { eventBit, publishEmailEvents } from "#server/core/sending/events/email-events.ts";
import {
  signUnsubscribe,
  type UnsubscribeLink,
} from "#server/core/sending/tracking/tracking-token.ts";
import { withFields } from "#server/core/shared/mime/edit-parts.ts";
import { headerEnd, headerFields, withoutFields } from "#server/core/shared/mime/header-fields.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

type Headers = Record<string, string>;

/** The value of List-Unsubscribe that stands for a link to this server. */
const AUTO = "auto";

const UNSUBSCRIBE_FIELD = /^list-unsubscribe(?:-post)?$/i;

/** What the link of an email is made of. */
export type UnsubscribeTarget = {
  companyId: string;
  emailId: string;
  /** Without repetitions. */
  recipients: string[];
  /** Without trailing slash. */
  baseUrl: string;
  isTest: boolean;
};

/** Whether an email asks for a hosted unsubscribe link. */
export const wantsHostedUnsubscribe = (headers: Headers): boolean =>
  Object.entries(headers).some(
    ([name, value]) => isListUnsubscribe(name) && value.trim().toLowerCase() === AUTO,
  );

/** Asks for a hosted link, unless the email has a List-Unsubscribe field. */
export const withHostedUnsubscribe = (headers: Headers): Headers =>
  Object.keys(headers).some(isListUnsubscribe) ? headers : { ...headers, "List-Unsubscribe": AUTO };

/** Header names are case-insensitive. */
const isListUnsubscribe = (name: string) => name.toLowerCase() === "list-unsubscribe";

/** The custom headers of a message: with the hosted link, if the email asks for one. */
export function unsubscribeHeaders(headers: Headers, target: UnsubscribeTarget): Headers {
  if (!wantsHostedUnsubscribe(headers)) return headers;
  const others = Object.entries(headers).filter(([name]) => !UNSUBSCRIBE_FIELD.test(name));
  return { ...Object.fromEntries(others), ...hostedFields(target) };
}

/** The same for the message of an email submitted over SMTP. */
export function unsubscribeSource(
  source: Buffer,
  headers: Headers,
  target: UnsubscribeTarget,
): Buffer {
  if (!wantsHostedUnsubscribe(headers)) return source;
  const end = headerEnd(source);
  const header = source.subarray(0, end);
  const asking = headerFields(header).filter(({ name }) => UNSUBSCRIBE_FIELD.test(name));
  const sent = withFields(withoutFields(header, asking), hostedFields(target));
  return Buffer.concat([sent, source.subarray(end)]);
}

/**
 * The fields of one-click unsubscribing (RFC 8058). None for several recipients, who share the message: each could
 * unsubscribe the others.
 */
function hostedFields({ recipients, baseUrl, ...email }: UnsubscribeTarget): Headers {
  const [recipient, ...others] = recipients;
  if (recipient === undefined || others.length > 0) return {};
  const { companyId, emailId, isTest } = email;
  const link: UnsubscribeLink = { companyId, emailId, recipient, isTest };
  return {
    "List-Unsubscribe": `<${baseUrl}/t/u/${signUnsubscribe(link)}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}

const UNSUBSCRIBED = eventBit("unsubscribed");

/**
 * Suppresses a recipient who unsubscribed, and records it in the email's history and for webhooks. Another request for
 * the same email changes nothing, unless the suppression was removed meanwhile. An existing suppression keeps its
 * origin; only a bounce, which may expire, becomes `unsubscribe`. Suppresses even if the email is deleted, but not for a
 * test email, which the recipient never got.
 */
export async function recordUnsubscribe(
  db: Db,
  { companyId, emailId, recipient, isTest }: UnsubscribeLink,
  { ipAddress, userAgent }: { ipAddress: string; userAgent: string | null },
): Promise<void> {
  const published = await db.transaction(async (tx) => {
    // Everything that writes an email's history locks its row first, so the next statement sees earlier requests.
    await tx.execute(sql`select from emails where id = ${emailId}::uuid for no key update`);
    return tx.execute(sql`
      with suppressed as (
        insert into suppressions as s (id, company_id, email, origin, source_id)
        select ${v7()}::uuid, c.id, ${recipient}, 'unsubscribe', ${emailId}::uuid
        from companies c where c.id = ${companyId}::uuid
          and not ${isTest}::boolean
        on conflict (company_id, email) do update set origin = 'unsubscribe', source_id = excluded.source_id
          where s.origin = 'bounce'
        returning s.id
      ), request as (
        insert into email_events (email_id, company_id, type, recipient, ip_address, user_agent)
        select e.id, e.company_id, 'unsubscribed', ${recipient}, ${ipAddress}, ${userAgent}
        from emails e
        where e.id = ${emailId}::uuid and e.company_id = ${companyId}::uuid
          and (e.event_types & ${UNSUBSCRIBED} = 0 or exists (select from suppressed))
        returning *
      ), shown as (
        update emails set event_types = event_types | ${UNSUBSCRIBED}
        from request where emails.id = request.email_id
      )
      ${publishEmailEvents("request", "emails")}
      returning webhook_events.id`);
  });
  if (published.length > 0) wakeWebhooks(db);
}
