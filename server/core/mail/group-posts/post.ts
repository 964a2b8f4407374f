import type { Message } from "#server/core/shared/mime/message.ts";

/** A message to a group or to a company's owners. */
export type Post = {
  /** Idempotency key: a UUID or any other text. */
  id: string;
  /** How long the same id means a repeated delivery, in milliseconds; null for always. */
  repeatsForMs: number | null;
  /** Return path; "" for the null sender. */
  sender: string;
  /** The address in From, lowercase; null if there is none or several. */
  from: string | null;
  /** Authenticated by sign-in or API key; null for mail from outside. */
  author: { companyId: string } | null;
  /** DKIM or SPF passed for the domain of `from` (DMARC alignment). */
  isFromVerified: boolean;
  /** The whole message with its trace fields and CRLF line endings. */
  message: Message;
  clientAddress: string | null;
};

/** The outcome of a post. `refused` becomes the SMTP reply. */
export type Posted =
  | { kind: "distributed"; recipients: number }
  /** It is in quarantine, for moderation or as spam. */
  | { kind: "held" }
  /** Accepted but not delivered: a bounce or an auto-reply. The reason is one line of ASCII. */
  | { kind: "discarded"; reason: string }
  /** 4.x.x can be retried. The text is one line of ASCII. */
  | { kind: "refused"; enhancedCode: `${4 | 5}.${number}.${number}`; text: string };
