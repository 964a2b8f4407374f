import type { SpamAction, IncomingMessage } from "#server/core/mail/spam/check-spam.ts";

/**
 * The action that the authentication results call for. Mail that fails a DMARC policy goes to Junk; the listener has
 * already rejected what it should, so `reject` isn't applied again. Without rspamd, a hard SPF failure counts too if
 * there is no DMARC policy and no valid signature.
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
