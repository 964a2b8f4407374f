import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { anHttpsReceiver, type HttpsReceiver } from "#server/testing/https-receiver.ts";
import { anSmtpSink, type SmtpSink } from "#server/testing/smtp-sink.ts";

import { recordCopy, tokenIn, type Traffic } from "./traffic.ts";

const COLLECT_EVERY_MS = 20;

/** The domain of all outside senders and recipients. */
export const OUTSIDE_DOMAIN = "sink.test";

export type Outside = {
  dns: FakeDns;
  sink: SmtpSink;
  receiver: HttpsReceiver;
  /** The webhook endpoint. */
  endpoint: string;
  close(): Promise<void>;
};

/** The rest of the internet, on loopback: DNS, a mail server, a webhook endpoint. */
export async function startOutside(traffic: Traffic): Promise<Outside> {
  const sink = await anSmtpSink();
  const receiver = await anHttpsReceiver();
  const dns = await aDnsServer({
    "sink.test": { MX: ["10 mx.sink.test"], TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
    "mx.sink.test": { A: ["127.0.0.1"] },
    // The name in the receiver's certificate.
    "mx.example.test": { A: ["127.0.0.1"] },
    "posthouse.localhost": { A: ["127.0.0.1"] },
  });
  const timer = setInterval(collect, COLLECT_EVERY_MS);
  return {
    dns,
    sink,
    receiver,
    endpoint: `https://mx.example.test:${receiver.port}/hook`,
    async close() {
      clearInterval(timer);
      collect();
      await Promise.all([sink.close(), receiver.close(), dns.close()]);
    },
  };

  function collect(): void {
    const at = Date.now();
    sink.commands.length = 0;
    for (const { raw, recipients } of sink.messages.splice(0)) {
      const header = raw.toString("latin1").split("\r\n\r\n", 1)[0]!;
      const messageId = field(header, "Message-ID");
      for (const address of recipients)
        recordCopy(traffic, field(header, "Subject"), { address, messageId, at });
    }
    for (const { headers, body } of receiver.received.splice(0)) {
      const { type, data } = JSON.parse(body) as WebhookBody;
      const token = tokenIn(data.subject);
      if (!token) continue;
      traffic.posts.push({ id: headers["webhook-id"]!, type, token, to: data.to.join(), at });
      if (type === "email.delivered") traffic.awaited.delete(token);
    }
  }
}

type WebhookBody = { type: string; data: { subject: string; to: string[] } };

function field(header: string, name: string): string {
  return new RegExp(`^${name}: *(.*)$`, "im").exec(header)?.[1]?.trim() ?? "";
}
