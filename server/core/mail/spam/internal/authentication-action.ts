import type { SpamAction, IncomingMessage } from "#server/core/mail/spam/check-spam.ts";

/**
 * What the DNS's word on a message alone leads to. Mail that its domain's DMARC policy distrusts goes to
 * Junk; refusing what the policy wants refused is the listener's, so what comes here was let through for a
 * reason. Alone, without rspamd, `-all` of SPF counts too where DMARC says nothing and no signature holds.
 */
export function authenticationAction(
  { spf, dkim, dmarc }: IncomingMessage["verdict"],
  { isAlone }: { isAlone: boolean },
): { action: SpamAction; findings: string[] } {
  if (dmarc.result === "fail" && dmarc.policy === "reject")
    return { action: "junk", findings: ["DMARC_POLICY_REJECT"] };
  if (dmarc.result === "fail" && dmarc.policy === "quarantine")
    return { action: "junk", findings: ["DMARC_POLICY_QUARANTINE"] };
  if (isAlone && isSpfFailure({ spf, dkim, dmarc }))
    return { action: "junk", findings: ["R_SPF_FAIL"] };
  return { action: "deliver", findings: [] };
}

const isSpfFailure = ({ spf, dkim, dmarc }: IncomingMessage["verdict"]) =>
  spf.result === "fail" && dkim.result !== "pass" && dmarc.result === "none";
