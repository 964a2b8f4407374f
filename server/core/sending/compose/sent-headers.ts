import {
  unsubscribeHeaders,
  type UnsubscribeTarget,
} from "#server/core/sending/unsubscribe/hosted-unsubscribe.ts";

/** Names this software to Gmail, which wants 5 to 15 characters that stay the same. */
const SENDER_ID = "posthouse";

type Headers = Record<string, string>;

/** The campaign of an email with these tags; null without the tag `campaign`. */
export const campaignOf = (tags: { name: string; value: string }[]): string | null =>
  tags.find(({ name }) => name === "campaign")?.value ?? null;

/**
 * The custom headers of a composed message: those of the email, its unsubscribe link, and a Feedback-ID, by which Gmail
 * groups spam complaints (`campaign:customer:mail type:sender`).
 *
 * @param campaign as `campaignOf` returns it
 */
export function sentHeaders(
  headers: Headers,
  target: UnsubscribeTarget & { campaign: string | null },
): Headers {
  const sent = unsubscribeHeaders(headers, target);
  const isList = Object.keys(sent).some((name) => name.toLowerCase() === "list-unsubscribe");
  const mailType = isList ? "list" : "transactional";
  const id = [target.campaign ?? "", target.companyId, mailType, SENDER_ID].join(":");
  return { ...sent, "Feedback-ID": id };
}
