import type { DmarcReports } from "#app/console/(pages)/domains/queries.ts";

type ReportCounts = Pick<DmarcReports, "messages" | "passed" | "policy">;
type Advice = { title: string; text: string; policy?: "quarantine" | "reject" };

/** Fewer messages don't represent all the services that a company sends with. */
const ENOUGH_MESSAGES = 100;
/** Above this share, failures come from forwarding and spoofing rather than from the company's senders. */
const SAFE_SHARE = 0.98;

/** Recommends the next DMARC policy step based on the reports. */
export function dmarcAdvice({ messages, passed, policy }: ReportCounts): Advice {
  const isSafe = passed >= messages * SAFE_SHARE;
  if (policy === "reject")
    return isSafe
      ? {
          title: "Your domain is protected",
          text: "Receivers reject spoofed mail. Check this page again when you add a service that sends for you.",
        }
      : {
          title: "Some mail from your domain is rejected",
          text: "Your policy rejects mail that fails DMARC. Check below whether any of the failing senders are yours.",
        };
  if (!isSafe)
    return {
      title: "Set up all your senders first",
      text: "More than 2% of messages fail. Set up SPF and DKIM for your senders below before you make the policy stricter.",
    };
  if (messages < ENOUGH_MESSAGES)
    return {
      title: "Wait for more reports",
      text: `No problems so far. Keep the current policy until the reports cover at least ${ENOUGH_MESSAGES} messages.`,
    };
  if (policy === "quarantine")
    return {
      title: "Switch to reject",
      text: "Almost all your mail passes. Publish this record to have spoofed mail rejected instead of delivered to spam:",
      policy: "reject",
    };
  return {
    title: "Switch to quarantine",
    text: "Almost all your mail passes. Publish this record to have spoofed mail delivered to spam:",
    policy: "quarantine",
  };
}

/** Replaces the policy in a DMARC record (RFC 7489, 6.3). */
export function withPolicy(record: string, policy: string): string {
  return record.replace(/(;\s*)p\s*=\s*\w+/i, (_, start: string) => `${start}p=${policy}`);
}
