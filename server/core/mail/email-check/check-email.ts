import { config } from "#server/config.ts";
import { textVersion } from "#server/core/sending/compose/compose-message.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { previewEmail } from "#server/core/sending/emails/preview-email.ts";
import { getOldestDueSeconds } from "#server/core/sending/outbox/queue-depth.ts";
import { scoreOutgoing, type SpamScore } from "#server/core/mail/spam/outgoing-spam.ts";
import type { Context } from "#server/core/shared/context.ts";
import { createResolver, type Resolver } from "#server/gateways/dns.ts";

import { checkContent } from "./check-content.ts";
import { type FoundLink, type ImageFacts, readHtml, readImages } from "./check-images.ts";
import {
  type CheckedRecipient,
  checkRecipients,
  checkSender,
  type EmailProblem,
  type SenderAuthentication,
  senderFindings,
  emailWarning,
} from "./check-envelope.ts";

/** What would happen to an email if it was sent now. */
export type EmailCheck = {
  /** `errors`: not sent, or not to everyone. */
  result: "ok" | "warnings" | "errors";
  findings: EmailProblem[];
  recipients: CheckedRecipient[];
  /** Null if the domain isn't the company's. */
  authentication: SenderAuthentication | null;
  /** Octets of the message. */
  size: number;
  /** The text version that readers without HTML see. */
  text: string;
  links: FoundLink[];
  images: number;
  imageFacts: ImageFacts;
  /** Null if rspamd doesn't run or doesn't answer. */
  spam: SpamScore | null;
  /** How long the oldest waiting recipient of the appliance has been due, in seconds. */
  waitSeconds: number;
};

type Key = Parameters<typeof previewEmail>[1];

/** Text beyond this is cut. */
const TEXT_SHOWN_MAX = 20_000;
const LINKS_SHOWN_MAX = 200;

/**
 * Checks an email as far as that is possible without sending it: acceptance, recipients, authentication, content and
 * spam score. Stores nothing.
 *
 * @param key null for an email of the console
 */
export async function checkEmail(
  ctx: Context,
  { key, input }: { key: Key; input: EmailInput },
  resolver: Pick<Resolver, "mx" | "a" | "aaaa"> = createResolver(config()),
): Promise<EmailCheck> {
  const preview = await previewEmail(ctx, key, input);
  const author = input.fromAddress.address;
  const [recipients, authentication, spam, waitSeconds, text] = await Promise.all([
    checkRecipients(ctx, preview, resolver),
    checkSender(ctx, author),
    scoreOutgoing(ctx.db, { content: preview.message, author, recipients: preview.recipients }),
    getOldestDueSeconds(ctx.db),
    textVersion(input),
  ]);
  const content = input.html ? readHtml(input.html) : null;
  const size = preview.message.length;
  const images = readImages(input, content);
  const findings = [
    ...(preview.problem === null ? [] : [error("not_accepted", preview.problem)]),
    ...recipients.flatMap(recipientFindings),
    ...(authentication ? senderFindings(authentication) : []),
    ...checkContent({ ...input, content, images, size }),
    ...spamFindings(spam),
  ];
  return {
    result: worst(findings),
    findings,
    recipients,
    authentication,
    size,
    spam,
    waitSeconds: Math.round(waitSeconds ?? 0),
    text: text.slice(0, TEXT_SHOWN_MAX),
    links: content?.links.slice(0, LINKS_SHOWN_MAX) ?? [],
    images: content?.images.length ?? 0,
    imageFacts: images,
  };
}

const error = (code: string, message: string): EmailProblem => ({ level: "error", code, message });

function worst(findings: EmailProblem[]): EmailCheck["result"] {
  if (findings.some(({ level }) => level === "error")) return "errors";
  return findings.length > 0 ? "warnings" : "ok";
}

function recipientFindings({ address, outcome, reason }: CheckedRecipient): EmailProblem[] {
  if (reason === null) return [];
  return outcome === "unknown"
    ? [emailWarning("recipient_unknown", `${address}: ${reason}`)]
    : [error(`recipient_${outcome}`, `${address}: ${reason}`)];
}

function spamFindings(spam: SpamScore | null): EmailProblem[] {
  if (!spam || spam.score < spam.threshold) return [];
  const rules = spam.rules.length > 0 ? `: ${spam.rules.join(", ")}` : "";
  return [
    emailWarning("spam", `rspamd's score is ${spam.score.toFixed(1)} of ${spam.threshold}${rules}`),
  ];
}
