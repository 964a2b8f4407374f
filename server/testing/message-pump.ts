import type { Outcome } from "#mail/smtp/outcome.ts";
import { pino } from "pino";
import { afterEach } from "vitest";

import { pool } from "#server/db/pool.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import type { Carrier, Delivery } from "#worker/delivery/delivery.ts";
import { signMessage } from "#worker/delivery/dkim.ts";
import { emailSource } from "#worker/pump/email-source.ts";
import { messageSource } from "#worker/pump/message-source.ts";
import type { PumpOptions } from "#worker/pump/source.ts";
import { Pump } from "#worker/pump/pump.ts";

/** Options of a pump around a carrier; `given` overrides some of them. */
export const pumpOptions = (given: Partial<PumpOptions> & { carrier: Carrier }): PumpOptions => ({
  connection: pool(),
  compose: composeMessage,
  sign: signMessage,
  hostname: "mail.here.test",
  baseUrl: "https://mail.here.test",
  relay: null,
  dataFolder: process.env.POSTHOUSE_DATA!,
  ownListener: () => ({ host: "127.0.0.1", port: 1 }),
  log: pino({ level: "silent" }),
  ...given,
});

/** A worker's two pumps over one carrier, stopped after their test. */
export function messagePumps() {
  const running: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((pump) => pump.stop()));
  });
  return {
    start: async (given: Partial<PumpOptions> & { carrier: Carrier }) => {
      const options = pumpOptions(given);
      const emails = new Pump(emailSource(options), options);
      const messages = new Pump(messageSource(options), options);
      running.push(emails, messages);
      await Promise.all([emails.start(), messages.start()]);
      return { emails, messages };
    },
  };
}

export const accepted = (recipient: string): Outcome => ({
  recipient,
  result: "delivered",
  dsn: "2.0.0",
  message: "250 OK",
  suppress: false,
});
export const acceptAll = ({ recipients }: Delivery) => recipients.map(accepted);

/** A carrier whose deliveries the test records and whose outcomes it sets. */
export function aScriptedCarrier(answer: (delivery: Delivery) => Promise<Outcome[]> | Outcome[]) {
  const deliveries: Delivery[] = [];
  const carrier: Carrier = {
    async deliver(delivery) {
      deliveries.push(delivery);
      return answer(delivery);
    },
    drain: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return { carrier, deliveries };
}
