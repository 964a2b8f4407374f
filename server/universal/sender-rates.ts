/** Rates by which mailbox providers judge senders. */
export type SenderRate = "bounce" | "complaint";

/** From `high` on, providers start to distrust a sender; from `critical` on, they reject or filter its mail. */
export const SENDER_RATES: Record<SenderRate, { high: number; critical: number }> = {
  bounce: { high: 0.02, critical: 0.05 },
  complaint: { high: 0.001, critical: 0.003 },
};

/** The period of alarms. */
export const SENDER_RATE_DAYS = 14;

/** With fewer emails, or fewer bounces or complaints, a rate says nothing about the sender. */
const EMAILS_MIN = 100;
const EVENTS_MIN = 3;

export type RateJudgement = "good" | "high" | "critical";

/**
 * Judges a rate. The overview, Metrics and Health all use this rule.
 *
 * @param events emails that bounced, or got a complaint
 * @param emails emails that were delivered or failed; for complaints, those that were delivered
 * @returns null if there are too few emails
 */
export function judgeSenderRate(
  rate: SenderRate,
  events: number,
  emails: number,
): RateJudgement | null {
  if (emails < EMAILS_MIN) return null;
  const share = events / emails;
  const { high, critical } = SENDER_RATES[rate];
  if (share < high) return "good";
  if (events < EVENTS_MIN) return null;
  return share < critical ? "high" : "critical";
}
