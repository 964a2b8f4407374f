import type { DmarcReports } from "#app/console/(pages)/domains/queries.ts";

type Seen = Pick<DmarcReports, "messages" | "passed" | "policy">;
type Advice = { title: string; text: string; policy?: "quarantine" | "reject" };

/** Fewer messages than this say nothing about all the ways in which a company sends. */
const ENOUGH_MESSAGES = 100;
/** From this share on those that fail are forwarders and forgers rather than senders of one's own. */
const SAFE_SHARE = 0.98;

/** What to do about the policy, going by what the reports of the span say. */
export function adviceOf({ messages, passed, policy }: Seen): Advice {
  const isSafe = passed >= messages * SAFE_SHARE;
  if (policy === "reject")
    return isSafe
      ? {
          title: "Your domain is protected",
          text: "Mail that only pretends to be yours is refused. Look here again when you add a service that sends for you.",
        }
      : {
          title: "Some mail in your name is refused",
          text: "Your policy has it rejected. Look below whether a sender of yours is among those that fail.",
        };
  if (!isSafe)
    return {
      title: "Find your senders first",
      text: "More than 2 in 100 messages fail. Set up SPF and DKIM for those below that are yours before you make the policy stricter.",
    };
  if (messages < ENOUGH_MESSAGES)
    return {
      title: "Wait for more reports",
      text: `Everything looks right so far, but ${ENOUGH_MESSAGES} messages are the least to go by. Leave the policy as it is until then.`,
    };
  if (policy === "quarantine")
    return {
      title: "You can go on to reject",
      text: "Almost everything passes. With this, mail that only pretends to be yours is refused instead of put into spam:",
      policy: "reject",
    };
  return {
    title: "You can go on to quarantine",
    text: "Almost everything passes. With this, mail that only pretends to be yours is put into spam:",
    policy: "quarantine",
  };
}

/** A DMARC record with another policy, the rest as it is (RFC 7489, 6.3: `p` comes second). */
export function withPolicy(record: string, policy: string): string {
  return record.replace(/(;\s*)p\s*=\s*\w+/i, (_, start: string) => `${start}p=${policy}`);
}
