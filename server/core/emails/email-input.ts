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
};
