import { v7 as uuidv7 } from "uuid";

import {
  messageContents,
  type MessageOrigin,
  messageRecipients,
  messages,
} from "#drizzle/schema/index.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";

/** A message to deliver unchanged. */
export type NewMessageRecipient = {
  /** Without display name. */
  address: string;
  /** For RCPT TO; defaults to `address`. */
  written?: string | undefined;
  /** NOTIFY of RFC 3461: `never`, or some of `success`, `failure`, `delay`. Null: failure. */
  notify?: string[] | null;
  /** ORCPT of RFC 3461. */
  originalRecipient?: string | null;
  /** On hold: not delivered until an admin releases it. */
  isHeld?: boolean;
};

/** A message to be carried as it is. */
export type NewMessage = {
  /** UUIDv7. Accepting the same id twice creates one message. */
  id?: string;
  companyId: string;
  origin: MessageOrigin;
  /** The mailbox that sends, forwards or replies. */
  mailbox: string | null;
  /** For a submission, the group that it is sent as; otherwise the group that it concerns. */
  groupAddress: string | null;
  /** For copies to a group: the same for all copies of one post. */
  distributionId?: string | null;
  /** Return path; "" for none. */
  sender: string;
  /** Whether failures are reported to the sender. Never set it if the sender may be forged. */
  isSenderTold: boolean;
  /** The domain whose DKIM key signs it when it is sent; null: not signed. */
  signingDomainId: string | null;
  /** RFC 5322 bytes with CRLF line ends, complete except for the signature. */
  content: Buffer;
  recipients: NewMessageRecipient[];
  headerFrom: string;
  subject: string;
  messageId: string | null;
  /** The client's IP address. */
  clientAddress: string | null;
  envelopeId?: string | null;
  /** RET of RFC 3461: bounces return the whole message, not only its header. */
  returnFull?: boolean;
};

const SHOWN_LENGTH_MAX = 998;

/** A statement can have 65,534 parameters; nested groups may have more members. */
const ROWS_PER_INSERT = 1_000;

/**
 * Accepts a message: its recipients are queued when the caller's transaction commits (or its own, outside of
 * one). Call `wakeMessages` after that.
 *
 * @returns its id, and whether it is new
 */
export async function acceptMessage(
  db: Db,
  message: NewMessage,
): Promise<{ id: string; isNew: boolean }> {
  const { id = uuidv7(), content, recipients } = message;
  return db.transaction(async (tx) => {
    const [made] = await tx
      .insert(messages)
      .values({
        id,
        companyId: message.companyId,
        origin: message.origin,
        mailbox: message.mailbox,
        groupAddress: message.groupAddress,
        distributionId: message.distributionId ?? null,
        sender: message.sender,
        isSenderTold: message.isSenderTold,
        signingDomainId: message.signingDomainId,
        headerFrom: shown(message.headerFrom),
        subject: shown(message.subject),
        messageId: message.messageId && shown(message.messageId),
        size: content.length,
        recipientCount: recipients.length,
        clientAddress: message.clientAddress,
        envelopeId: message.envelopeId ?? null,
        returnFull: message.returnFull ?? true,
      })
      .onConflictDoNothing({ target: messages.id })
      .returning({ id: messages.id });
    if (!made) return { id, isNew: false };
    await tx.insert(messageContents).values({ messageId: id, content });
    for (let at = 0; at < recipients.length; at += ROWS_PER_INSERT)
      await tx
        .insert(messageRecipients)
        .values(recipients.slice(at, at + ROWS_PER_INSERT).map((one) => rowOf(id, one)));
    return { id, isNew: true };
  });
}

function rowOf(messageId: string, recipient: NewMessageRecipient) {
  const { address, written = address, notify, originalRecipient, isHeld } = recipient;
  return {
    messageId,
    recipient: written,
    destination: addressDomain(address),
    state: isHeld ? ("held" as const) : ("queued" as const),
    notify: notify ?? null,
    originalRecipient: originalRecipient ?? null,
  };
}

/** Postgres rejects NUL and lone surrogates. */
const shown = (text: string) => text.replaceAll("\0", "").slice(0, SHOWN_LENGTH_MAX).toWellFormed();
