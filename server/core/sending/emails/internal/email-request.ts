import type { Domain } from "#drizzle/schema/index.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import type { KeyLock } from "#server/core/sending/idempotency/idempotency.ts";
import type { Actor, Context } from "#server/core/shared/context.ts";
import type { Refusal } from "#server/core/shared/refusals.ts";

/** The result for one email of a request: accepted under an id, or rejected for its sender. */
export type EmailResult =
  | {
      id: string;
      /** Why it was recorded as failed at once; null if it wasn't. */
      failed: string | null;
    }
  | { refusal: Refusal };

type AdminContext = Context & { actor: Extract<Actor, { kind: "admin" }> };

/** The emails of one API call, to be accepted together. */
export type EmailRequest = {
  companyId: string;
  /** Null for emails sent from the console or by the appliance. */
  key: Pick<SendingKey, "keyId" | "domainId" | "isTest"> | null;
  emails: EmailInput[];
  /**
   * UUIDv7 ids to accept the emails under, if they must be known beforehand. Each id is accepted once only.
   */
  ids?: string[];
  /** Reject all emails if one is rejected. */
  allOrNone: boolean;
  /** Check the emails but accept none. */
  validateOnly?: boolean;
  /** The request's idempotency key; its response is stored with the emails. */
  keyLock: KeyLock | null;
  /** The admin who sends from the console; unset if an API key or the appliance sends. */
  sentBy?: AdminContext;
  /** The response to store; null to store none. */
  toAnswer: (results: EmailResult[]) => unknown;
};

/** The API key of a request. */
export type SendingKey = {
  keyId: string;
  companyId: string;
  /** The only domain the key can send from; null for all. */
  domainId: string | null;
  /** Whether its emails are test emails. */
  isTest: boolean;
};

/** An email about to be written, with its initial state. */
export type AcceptedEmail = {
  id: string;
  companyId: string;
  apiKeyId: string | null;
  sentByAdminId: string | null;
  input: EmailInput;
  domain: SendingDomain;
  size: number;
  isBatch: boolean;
  isTest: boolean;
  /** Recipients to send to, each once. */
  remaining: string[];
  skipped: { recipient: string; reason: string }[];
} & (
  | { state: "sent" | "scheduled" | "suppressed" }
  /** Recorded but not sent. */
  | { state: "failed"; reason: string }
);

type Addressed = Pick<EmailInput, "to" | "cc" | "bcc">;

/** Each address once, whichever fields name it: one copy is enough. */
export function uniqueRecipients({ to, cc, bcc }: Addressed): string[] {
  if (to.length === 1 && cc.length === 0 && bcc.length === 0) return [to[0]!.address];
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))];
}

/** What the email counts in every quota: each address in each field. */
export const countRecipients = ({ to, cc, bcc }: Addressed): number =>
  to.length + cc.length + bcc.length;

/** The properties of a company's domain that matter for sending. */
export type SendingDomain = Pick<
  Domain,
  "id" | "name" | "openTracking" | "clickTracking" | "oneClickUnsubscribe"
> & {
  /** Ownership is verified. */
  isOwned: boolean;
  /** So are SPF and DKIM. */
  isVerified: boolean;
  /** Why the domain's mail can't be signed; null if it can. */
  signingProblem: string | null;
};
