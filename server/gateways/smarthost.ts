import type { Relay } from "#server/config.ts";

const TIMEOUT_MS = 15_000;

type SmarthostMail = {
  /** UUID; part of the Message-ID, so that a repeated message is recognized as such. */
  id: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
};

/**
 * Sends a message through another mail server, without the queue and the database.
 *
 * @throws Error if the server isn't reached or rejects a recipient
 */
export async function sendThroughSmarthost(
  { host, port, implicitTls, auth }: Relay,
  { id, from, to, subject, text, html }: SmarthostMail,
): Promise<void> {
  // Loaded when it is needed, since most processes never send this way.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    host,
    port,
    secure: implicitTls,
    ...(auth && { auth }),
    // A password must not go out in plain text.
    requireTLS: auth !== null && !implicitTls,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  try {
    await transport.sendMail({
      envelope: { from, to },
      from: { name: "Posthouse", address: from },
      to: to.map((address) => ({ name: "", address })),
      subject,
      text,
      html,
      messageId: `<${id}@${from.split("@")[1]!}>`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
  } finally {
    transport.close();
  }
}
