import type { Actor, Context } from "#server/core/shared/context.ts";
import type { KeyLock } from "#server/core/sending/idempotency/acquire-key.ts";
import type { Refusal } from "#server/core/shared/refusals.ts";

import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import type { SendingKey } from "./sending-key.ts";

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
