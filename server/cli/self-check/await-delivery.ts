import { setTimeout as sleep } from "node:timers/promises";

import { callApi } from "./call-api.ts";
import type { Check } from "./self-check.ts";

const LOOK_EVERY_MS = 150;

type Event = { type: string; message?: string | null; reason?: string | null };

/**
 * Polls the email's history until its recipient has an outcome.
 *
 * @throws Error if the outcome isn't `email.delivered` or doesn't come in time
 */
export async function awaitDelivery(check: Check, id: string): Promise<void> {
  let last: Event | undefined;
  while (!check.signal.aborted) {
    const { data } = await callApi(check, "GET", `/emails/${id}/events?limit=100`);
    const events = data as Event[];
    last = events.at(-1);
    if (events.some(({ type }) => type === "email.delivered")) return;
    const failure = events.find(({ type }) => /^email\.(bounced|failed|suppressed)$/.test(type));
    if (failure) throw new Error(`${describe(failure)}: see \`posthouse logs\``);
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(
    `not delivered in time (last event: ${last ? describe(last) : "none"}). Check that the worker is running, and see \`posthouse logs --process worker\``,
  );
}

function describe({ type, message, reason }: Event): string {
  return [type, message ?? reason].filter(Boolean).join(", ");
}
