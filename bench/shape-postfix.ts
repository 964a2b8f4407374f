import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { freePort } from "#server/processes/ports.ts";
import { serviceUser } from "#server/processes/service-user.ts";

import type { BenchEmail } from "./bench-email.ts";
import type { MailOrder } from "./mail-client.ts";
import { startPostfix } from "./postfix-peer.ts";
import { composeAll } from "./relay-round.ts";
import type { SimulatedReceiver } from "./simulate-receiver.ts";
import { startChild } from "./start-child.ts";

/** Postfix' defaults, in minutes (postconf(5)). */
const DEFAULTS = {
  queue_run_delay: 5,
  minimal_backoff_time: 5,
  maximal_backoff_time: 4000 / 60,
};

/**
 * Sends emails through a Postfix with default settings, whose times are shortened like the receiver's minutes, until
 * the receiver has accepted them or the time is up. Returns the minutes that it took.
 */
export async function drainThroughPostfix(
  receiver: SimulatedReceiver,
  emails: BenchEmail[],
  { folder, minuteMs, minutesMax }: { folder: string; minuteMs: number; minutesMax: number },
): Promise<number> {
  const [port, user] = [await freePort(), await serviceUser()];
  const scaled = Object.entries(DEFAULTS).map(([name, minutes]) => [
    name,
    `${Math.max(1, Math.round((minutes * minuteMs) / 1000))}s`,
  ]);
  const settings = {
    relayhost: `[127.0.0.1]:${receiver.port}`,
    ...(Object.fromEntries(scaled) as Record<string, string>),
  };
  const postfix = await startPostfix({
    folder: join(folder, receiver.domain),
    port,
    user,
    settings,
  });
  const client = await startChild("bench/mail-client.ts");
  const messages = await composeAll(emails);
  const at = { port, host: "127.0.0.1" };
  client.child.send({ at, hello: "EHLO", connections: 20, messages } satisfies MailOrder);
  const startedAt = performance.now();
  const minutes = () => (performance.now() - startedAt) / minuteMs;
  while (receiver.counts().accepted < emails.length && minutes() < minutesMax) await delay(50);
  const taken = minutes();
  client.child.kill("SIGKILL");
  postfix.kill("SIGTERM");
  await once(postfix, "exit");
  return taken;
}
