import { type ParsedMessage, readFields } from "#server/core/shared/mime/parse-message.ts";

import { bareAddress, readEnclosedHeader } from "./internal/read-enclosed-header.ts";

/** A complaint in the Abuse Reporting Format (RFC 5965). */
export type Complaint = {
  /** Possible envelope senders of the reported email. */
  senders: string[];
  /** Recipients that complained, if the provider names them. */
  recipients: string[];
};

// Feedback types that are complaints (RFC 5965, 7.3), unlike `not-spam`.
const COMPLAINTS = new Set(["abuse", "fraud", "opt-out", "opt-out-list"]);

/** Parses a complaint; null for all other messages. */
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
