import {
  signUnsubscribe,
  type UnsubscribeLink,
} from "#server/core/sending/tracking/tracking-token.ts";
import { withFields } from "#server/core/shared/mime/edit-parts.ts";
import { headerEnd, headerFields, withoutFields } from "#server/core/shared/mime/header-fields.ts";

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
