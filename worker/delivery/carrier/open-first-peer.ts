import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";
import { openSession, type Session, SessionRefused } from "#worker/delivery/smtp/open-session.ts";
import type { Timeouts } from "#worker/delivery/smtp/timeouts.ts";
import { WireError } from "#worker/delivery/smtp/wire.ts";

import { classifyReply } from "./classify-reply.ts";
import type { Destination } from "./find-destination.ts";

/** A domain may name a hundred hosts; each that does not answer holds the delivery for half a minute. */
const PEERS_TRIED_MAX = 5;

/**
 * A session with the first host that takes us. When none does the failure is final only if each of them
 * said so: one that did not answer may be back tomorrow.
 */
export async function openFirstPeer(
  { peers, refusesForGood }: Destination,
  terms: { hostname: string; timeouts: Timeouts },
): Promise<Session | Failure> {
  const failures: Failure[] = [];
  let tried = 0;
  for await (const peer of peers()) {
    if ("result" in peer) {
      failures.push(peer);
      continue;
    }
    if (tried++ === PEERS_TRIED_MAX) break;
    try {
      return await openSession(peer, terms);
    } catch (error) {
      failures.push(readFailure(error));
    }
  }
  const passing = failures.find(({ result }) => result === "delayed");
  const failure = passing ?? failures[0];
  if (!failure) throw new Error("A destination without peers");
  if (passing || refusesForGood) return failure;
  return { ...failure, result: "delayed", dsn: failure.dsn.replace(/^5/, "4"), suppress: false };
}

function readFailure(error: unknown): Failure {
  if (error instanceof SessionRefused) return classifyReply(error.reply, error.stage);
  if (error instanceof WireError)
    return { result: "delayed", dsn: error.dsn, message: error.message, suppress: false };
  throw error;
}
