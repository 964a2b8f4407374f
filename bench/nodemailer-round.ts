import { once } from "node:events";

import type { SigningDomain } from "#server/core/sending/dkim/dkim-keys.ts";

import type { BenchEmail } from "./bench-email.ts";
import type { PeerOrder } from "./nodemailer-peer.ts";
import { startChild } from "./start-child.ts";

/** The carrier's connection limit per destination. */
const CONNECTIONS = 20;

/** Sends emails to a port of this machine through nodemailer's pooled transport, in a process of its own. */
export async function sendWithNodemailer(
  emails: BenchEmail[],
  { port, signer }: { port: number; signer: SigningDomain },
): Promise<{ startedAt: number }> {
  const { selector, privateKey } = signer.keys[0]!;
  const { child } = await startChild("bench/nodemailer-peer.ts");
  const startedAt = Date.now();
  const order: PeerOrder = {
    port,
    connections: CONNECTIONS,
    emails,
    dkim: {
      domainName: signer.domain,
      keySelector: selector,
      privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    },
  };
  child.send(order);
  await once(child, "message");
  child.disconnect();
  return { startedAt };
}
