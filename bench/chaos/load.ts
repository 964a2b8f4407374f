import { setTimeout as delay } from "node:timers/promises";

import { Refused, type Sender } from "./senders.ts";
import { EMAIL_KINDS, type Handed, type Traffic } from "./traffic.ts";

/** Pause of a client after a message without a reply. */
const PAUSE_AFTER_FAILURE_MS = 200;
/**
 * API clients pause while the appliance is this many emails behind. Otherwise a slow machine would build up
 * a queue, and a round would measure how long it takes to drain.
 */
const AWAITED_MAX = 400;

/**
 * Submits messages of all kinds in parallel until stopped.
 *
 * @param clients per sender
 * @param pauseMs of a client between two messages
 * @returns a function that stops the load and waits for outstanding replies
 */
export function startLoad(
  traffic: Traffic,
  senders: Sender[],
  { clients, pauseMs }: { clients: number; pauseMs: number },
): () => Promise<void> {
  let isStopping = false;
  const counts = new Map<string, number>();
  const loops = senders.flatMap((sender) =>
    Array.from({ length: clients }, () => keepSending(sender)),
  );
  return async () => {
    isStopping = true;
    await Promise.all(loops);
  };

  async function keepSending(sender: Sender): Promise<void> {
    while (!isStopping) {
      if (isEmail(sender) && traffic.awaited.size > AWAITED_MAX) {
        await delay(pauseMs);
        continue;
      }
      const messages = Array.from({ length: sender.size }, () => next(sender));
      traffic.handed.push(...messages);
      if (isEmail(sender)) for (const { token } of messages) traffic.awaited.add(token);
      const isAccepted = await handIn(sender, messages);
      if (!isAccepted) for (const { token } of messages) traffic.awaited.delete(token);
      await delay(isAccepted ? pauseMs : PAUSE_AFTER_FAILURE_MS);
    }
  }

  function next({ kind, addressed }: Sender): Handed {
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    return {
      token: `${kind}-${number}`,
      kind,
      ...addressed(number),
      startedAt: Date.now(),
      acceptedAt: null,
      refusal: null,
    };
  }
}

const isEmail = ({ kind }: Sender) => EMAIL_KINDS.includes(kind);

async function handIn(sender: Sender, messages: Handed[]): Promise<boolean> {
  try {
    await sender.send(messages);
    for (const message of messages) message.acceptedAt = Date.now();
    return true;
  } catch (error) {
    if (error instanceof Refused) for (const message of messages) message.refusal = error.message;
    return false;
  }
}
