import { type ParsedMessage, readFields } from "#server/core/incoming/parse-message.ts";

/** A complaint in the Abuse Reporting Format (RFC 5965). */
export type Complaint = {
  /** Addresses that the email reported may have had as its envelope sender. */
  senders: string[];
  /** Who complained, as far as the provider says. */
  recipients: string[];
};

/** Types of RFC 5965, 7.3 that say that the recipient does not want it; `not-spam` says the contrary. */
const COMPLAINTS = new Set(["abuse", "fraud", "opt-out", "opt-out-list"]);

/** The complaint that a message is; null for every other message. */
export function readComplaint({ parts }: ParsedMessage): Complaint | null {
  const report = parts.find(({ type }) => type === "message/feedback-report");
  if (!report) return null;
  const fields = readFields(report.content.toString("utf8"));
  if (!COMPLAINTS.has(fields.get("feedback-type")?.[0]?.toLowerCase() ?? "")) return null;
  const enclosed = readEnclosedHeader(parts);
  const addressesOf = (from: Map<string, string[]>, name: string) =>
    (from.get(name) ?? []).map(bareAddress);
  return {
    senders: [
      ...addressesOf(fields, "original-mail-from"),
      ...addressesOf(enclosed, "return-path"),
    ],
    recipients: [
      ...addressesOf(fields, "original-rcpt-to"),
      ...addressesOf(enclosed, "x-hmxmroriginalrecipient"),
    ],
  };
}

const HEADER_BYTES_MAX = 64 * 1024;

/** Of the email reported, which is enclosed whole or as its header alone. */
function readEnclosedHeader(parts: ParsedMessage["parts"]): Map<string, string[]> {
  const enclosed = parts.find(({ type }) => ENCLOSED.has(type));
  const text = enclosed?.content.subarray(0, HEADER_BYTES_MAX).toString("utf8") ?? "";
  return readFields(text.trimStart().split(/\r?\n\r?\n/, 1)[0]!);
}

const ENCLOSED = new Set(["message/rfc822", "text/rfc822-headers", "message/rfc822-headers"]);

/** `<ann@example.com>` and `rfc822; ann@example.com` without what is around the address. */
export const bareAddress = (text: string): string =>
  text
    .replace(/^[a-z0-9-]+;/i, "")
    .trim()
    .replace(/^<(.*)>$/, "$1");
