import type { Context } from "#server/core/shared/context.ts";
import type { KeyLock } from "#server/core/sending/idempotency/acquire-key.ts";
import type { Refusal } from "#server/core/shared/refusals.ts";

import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import type { SendingKey } from "./sending-key.ts";

/** What became of one email of a request: accepted under an id, or refused for its sender. */
export type EmailResult =
  | {
      id: string;
      /** Why it was recorded as failed at once, if it was. */
      failed: string | null;
    }
  | { refusal: Refusal };

/** One call's emails, to be accepted together. */
export type EmailRequest = {
  companyId: string;
  /** Null for what a person sends from the console, and the appliance itself. */
  key: Pick<SendingKey, "keyId" | "domainId"> | null;
  emails: EmailInput[];
  /** The emails' ids, UUIDv7, where they are to be known before: no email is ever accepted under one twice. */
  ids?: string[];
  /** One email whose sender is refused refuses them all. */
  allOrNone: boolean;
  /** Nothing is to be accepted in any case: only what is wrong with these is asked. */
  validateOnly?: boolean;
  /** The call's idempotency key; its answer is stored with the emails. */
  keyLock: KeyLock | null;
  /** Whom the audit log names as the sender; left out where the key says it. */
  sentBy?: Context;
  /** The answer to store; null to store none. */
  toAnswer: (results: EmailResult[]) => unknown;
};
