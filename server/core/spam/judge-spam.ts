import type { Db } from "#server/db/client.ts";

export type SpamAction = "deliver" | "junk" | "quarantine" | "reject";

export type SpamJudgement = {
  action: SpamAction;
  /** rspamd's; null when it did not look. */
  score: number | null;
  /** What spoke against the message, strongest first: names of rspamd's symbols, or of ours in that style. */
  findings: string[];
  /** It carries a virus: `action` is then `quarantine`, whatever the score. */
  isVirus: boolean;
};

/** What is known of a message from outside before anybody has read it. */
export type Suspect = {
  content: Buffer;
  verdict: {
    spf: { result: string };
    dkim: { result: string };
    dmarc: { result: string; policy: string | null };
  };
  envelope: { sender: string; recipients: string[]; helo: string; clientAddress: string };
};

/** What to do with a message from outside. */
export async function judgeSpam(_db: Db, { verdict }: Suspect): Promise<SpamJudgement> {
  const isDistrusted = verdict.dmarc.result === "fail" && verdict.dmarc.policy !== "none";
  return Promise.resolve({
    action: isDistrusted ? "junk" : "deliver",
    score: null,
    findings: isDistrusted ? ["DMARC_POLICY_QUARANTINE"] : [],
    isVirus: false,
  });
}
