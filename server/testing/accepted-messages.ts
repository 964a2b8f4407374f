import { acceptMessage, type NewMessage } from "#server/core/sending/messages/messages.ts";
import { db } from "#server/db/pool.ts";

const CONTENT = [
  "From: Ann <ann@example.com>",
  "To: bob@example.org",
  "Subject: Greetings",
  "Message-ID: <greetings@example.com>",
  "Date: Mon, 5 Jan 2026 10:00:00 +0000",
  "",
  "Hello",
  "",
].join("\r\n");

type Given = Partial<Omit<NewMessage, "companyId" | "content" | "recipients">> & {
  companyId: string;
  /** With CRLF line ends. */
  content?: string | Buffer;
  /** Addresses, or whole recipients. */
  to: (string | NewMessage["recipients"][number])[];
  /** Puts all recipients on hold. */
  isHeld?: boolean;
};

/** An accepted message: by default a submission to an external recipient. */
export async function anAcceptedMessage({
  to,
  content,
  isHeld = false,
  ...given
}: Given): Promise<string> {
  const { id } = await acceptMessage(db(), {
    origin: "submission",
    mailbox: given.sender ?? null,
    groupAddress: null,
    sender: "",
    isSenderTold: true,
    signingDomainId: null,
    headerFrom: "Ann <ann@example.com>",
    subject: "Greetings",
    messageId: "<greetings@example.com>",
    clientAddress: null,
    ...given,
    content: Buffer.from(content ?? CONTENT),
    recipients: to.map((one) => ({
      isHeld,
      ...(typeof one === "string" ? { address: one } : one),
    })),
  });
  return id;
}
