import type { HeaderAddress } from "#drizzle/schema/index.ts";

/** An email as a caller asks for it, every field checked on its own. */
export type EmailInput = {
  /** As written, with display name. */
  from: string;
  fromAddress: HeaderAddress;
  to: HeaderAddress[];
  cc: HeaderAddress[];
  bcc: HeaderAddress[];
  replyTo: HeaderAddress[];
  subject: string;
  html: string | null;
  /** Null: a text part is generated from html. "": none is wanted. */
  text: string | null;
  headers: Record<string, string>;
  tags: { name: string; value: string }[];
  /** When it is to go out; null: at once. */
  scheduledAt: Date | null;
  /** In the order of the message. */
  attachments: AttachmentInput[];
  /** Set for an email submitted over SMTP: the message that is sent. The other fields only describe it. */
  source?: EmailSource;
};

/** A complete RFC 5322 message, without Bcc and unsigned. */
export type EmailSource = {
  content: Buffer;
  /** Its Message-ID, with angle brackets. */
  messageId: string;
};

/** A file that goes with an email, decoded. */
export type AttachmentInput = {
  filename: string | null;
  /** As given; null: made from the file name when the message is composed. */
  contentType: string | null;
  /** Set for a file that the HTML shows as `cid:<contentId>`. */
  contentId: string | null;
  content: Buffer;
};
