import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import type { SigningDomain } from "#server/core/sending/dkim/dkim-keys.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { freePort } from "#server/processes/ports.ts";
import { serviceUser } from "#server/processes/service-user.ts";

import type { BenchEmail } from "./bench-email.ts";
import type { MailDone, MailOrder } from "./mail-client.ts";
import { startOpenDkim } from "./opendkim-peer.ts";
import { startPostfix } from "./postfix-peer.ts";
import { startChild } from "./start-child.ts";

const CONNECTIONS = 20;

/** The same emails as messages, not signed. */
export const composeAll = (emails: BenchEmail[]): Promise<MailOrder["messages"]> =>
  Promise.all(
    emails.map(async ({ from, to, subject, html, text }, at) => {
      const addressHeaders = {
        from: { name: "", address: from },
        to: [{ name: "", address: to }],
        cc: [],
        replyTo: [],
      };
      const message = await composeMessage({
        messageId: `<${at}.${crypto.randomUUID()}@peer.test>`,
        date: new Date(),
        addressHeaders,
        subject,
        html,
        text,
        headers: {},
        attachments: [],
        tracking: null,
      });
      return { from, to, content: message.toString("latin1") };
    }),
  );

/**
 * Starts two Postfix that relay to a port of this machine: one signs with OpenDKIM, one doesn't sign.
 *
 * @returns how to send emails through one of them: until the port's owner has accepted them all
 */
export async function startRelays(
  folder: string,
  { port, signer }: { port: number; signer: SigningDomain },
) {
  const user = await serviceUser();
  const client = await startChild("bench/mail-client.ts");
  const dkim = { folder: join(folder, "opendkim"), domain: signer.domain, key: signer.keys[0]! };
  const milters = { signed: await startOpenDkim(dkim), unsigned: {} };
  const relay = async (kind: keyof typeof milters) => {
    const listener = await freePort();
    const settings = { relayhost: `[127.0.0.1]:${port}`, ...milters[kind] };
    await startPostfix({ folder: join(folder, `postfix-${kind}`), port: listener, user, settings });
    return listener;
  };
  const ports = { signed: await relay("signed"), unsigned: await relay("unsigned") };

  return async (kind: keyof typeof ports, emails: BenchEmail[], isDone: () => Promise<boolean>) => {
    const messages = await composeAll(emails);
    const at = { port: ports[kind], host: "127.0.0.1" };
    const order: MailOrder = { at, hello: "EHLO", connections: CONNECTIONS, messages };
    client.child.send(order);
    const [{ startedAt }] = (await once(client.child, "message")) as [MailDone];
    while (!(await isDone())) await delay(20);
    return { startedAt };
  };
}
