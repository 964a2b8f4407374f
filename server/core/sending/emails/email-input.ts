import { emailEventType, type HeaderAddress } from "#drizzle/schema/index.ts";
import { isEmailState } from "#server/universal/event-types.ts";

/** An email to send, each field validated on its own. */
export type EmailInput = EmailContent &
  (
    | {
        /** Null: send now. */
        scheduledAt: Date | null;
        source?: undefined;
      }
    | {
        /** An email submitted over SMTP can't be scheduled. */
        scheduledAt: null;
        /** The message to send, if submitted over SMTP. The other fields only describe it. */
        source?: EmailSource;
      }
  );

export type EmailContent = {
  /** As written, with display name. */
  from: string;
  fromAddress: HeaderAddress;
  to: HeaderAddress[];
  cc: HeaderAddress[];
  bcc: HeaderAddress[];
  replyTo: HeaderAddress[];
  subject: string;
  html: string | null;
  /** Null: generate a text part from html. "": no text part. */
  text: string | null;
  headers: Record<string, string>;
  tags: { name: string; value: string }[];
  /** In message order. */
  attachments: AttachmentInput[];
};

/** A complete RFC 5322 message, without Bcc and unsigned. */
export type EmailSource = {
  content: Buffer;
  /** Its Message-ID, with angle brackets. */
  messageId: string;
};

/** A decoded attachment. */
export type AttachmentInput = {
  filename: string | null;
  /** Null: derived from the file name when the message is composed. */
  contentType: string | null;
  /** Shown where the HTML references it as `cid:<contentId>`. */
  contentId: string | null;
  content: Buffer;
};

/** The states of an email: the type of its newest event, apart from what people do after it. */
export const EMAIL_STATES = emailEventType.enumValues.filter(isEmailState);

/** States that can apply to some recipients although the newest event concerns another. */
export const PROBLEM_STATES = ["bounced", "failed", "suppressed", "complained"] as const;
