import { createTransport } from "nodemailer";

import type { BenchEmail } from "./bench-email.ts";

/** Makes the peer send these emails through its pool, signed by its own signer. */
export type PeerOrder = {
  port: number;
  connections: number;
  dkim: { domainName: string; keySelector: string; privateKey: string };
  emails: BenchEmail[];
};

process.on("disconnect", () => process.exit());
process.once("message", (order: PeerOrder) => {
  void send(order).then(() => process.send!({ done: true }));
});
process.send!({ ready: true });

async function send({ port, connections, dkim, emails }: PeerOrder): Promise<void> {
  const transport = createTransport({
    pool: true,
    host: "127.0.0.1",
    port,
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: Infinity,
    dkim,
  });
  await Promise.all(
    emails.map(({ from, to, subject, html, text }) =>
      transport.sendMail({ from, to, subject, html, text, envelope: { from, to } }),
    ),
  );
  transport.close();
}
