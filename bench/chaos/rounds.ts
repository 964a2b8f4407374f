import { setTimeout as delay } from "node:timers/promises";

import type { SupervisedAppliance, Target } from "./supervised-appliance.ts";
import { createRandom, shuffled } from "./seeded.ts";
import type { Kill, Kind, Traffic } from "./traffic.ts";

const LOOK_EVERY_MS = 20;
/** Longer than any restart delay of the supervisor, even on a busy machine. */
const SERVING_TIMEOUT_MS = 240_000;
/** How long all services run before the next kill. */
const CALM_MS = { least: 200, most: 1_500 };

/** A kill, and how long each service took to handle messages submitted after it. */
export type Round = { target: Target; servedAfterMs: Record<Service, number> };

export const SERVICES = ["api", "mx", "submission", "delivery", "webhooks"] as const;
export type Service = (typeof SERVICES)[number];

/** @throws Error when a service doesn't recover */
export async function killInTurn(
  appliance: SupervisedAppliance,
  traffic: Traffic,
  { rounds, seed, targets }: { rounds: number; seed: number; targets: readonly Target[] },
): Promise<Round[]> {
  const random = createRandom(seed);
  const done: Round[] = [];
  let turn: Target[] = [];
  while (done.length < rounds) {
    if (turn.length === 0) turn = shuffled(targets, random);
    const target = turn.shift()!;
    await delay(CALM_MS.least + random() * (CALM_MS.most - CALM_MS.least));
    const kill = { target, at: await appliance.kill(target) };
    traffic.kills.push(kill);
    const round = await untilServing(traffic, kill);
    done.push(round);
    const slowest = Math.max(...Object.values(round.servedAfterMs));
    console.error(`${done.length}/${rounds} ${target}: serves again after ${slowest} ms`);
  }
  return done;
}

async function untilServing(traffic: Traffic, { target, at }: Kill): Promise<Round> {
  // Traffic from before the kill proves nothing, and there may be a lot of it.
  const from = { copies: traffic.copies.length, posts: traffic.posts.length };
  const firstAfter = traffic.handed.length;
  const waiting = new Set<Service>(SERVICES);
  const servedAfterMs = {} as Record<Service, number>;
  while (waiting.size > 0) {
    const fresh = {
      handed: traffic.handed.slice(firstAfter),
      copies: traffic.copies.slice(from.copies),
      posts: traffic.posts.slice(from.posts),
    };
    for (const service of waiting) {
      if (!works(service, fresh)) continue;
      servedAfterMs[service] = Date.now() - at;
      waiting.delete(service);
    }
    if (Date.now() - at > SERVING_TIMEOUT_MS)
      throw new Error(
        `${[...waiting].join(", ")} did not work ${SERVING_TIMEOUT_MS / 1000} s after kill -9 of ${target}`,
      );
    await delay(LOOK_EVERY_MS);
  }
  return { target, servedAfterMs };
}

type Fresh = Pick<Traffic, "handed" | "copies" | "posts">;

/** Whether a message submitted after the kill has reached this stage. */
function works(service: Service, { handed, copies, posts }: Fresh): boolean {
  const isAccepted = (...kinds: Kind[]) =>
    handed.some(({ kind, acceptedAt }) => kinds.includes(kind) && acceptedAt !== null);
  const tokens = new Set(handed.map(({ token }) => token));
  switch (service) {
    case "api":
      return isAccepted("api", "batch");
    case "mx":
      return isAccepted("inbound");
    case "submission":
      return isAccepted("submission");
    case "delivery":
      return copies.some(({ token }) => tokens.has(token));
    case "webhooks":
      return posts.some(({ token }) => tokens.has(token));
  }
}
