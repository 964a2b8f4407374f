import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";
import { openSession, type Session, SessionRefused } from "#worker/delivery/smtp/open-session.ts";
import type { Timeouts } from "#worker/delivery/smtp/timeouts.ts";
import { WireError } from "#worker/delivery/smtp/wire.ts";

import { classifyReply } from "./classify-reply.ts";
import type { DeadPeers } from "./dead-peers.ts";
import type { Destination } from "./find-destination.ts";

/** A domain may list a hundred hosts, and each that doesn't answer takes half a minute. */
const PEERS_TRIED_MAX = 5;
/** No other host is tried after this long: slow ones may take minutes each. */
const TRYING_MS_MAX = 5 * 60_000;

const MESSAGE_CHARACTERS_MAX = 400;

/**
 * Opens a session with the first host that accepts one; hosts that didn't respond recently are tried last.
 * If none accepts, the failure is permanent only if every host rejected permanently: one that didn't answer
 * may be back tomorrow.
 */
export async function openFirstPeer(
  { peers, failsPermanently, tlsRequiredBy }: Destination,
  { dead, ...terms }: { hostname: string; timeouts: Timeouts; dead: DeadPeers },
): Promise<Session | Failure> {
  const failures: Failure[] = [];
  let tried = 0;
  const startedAt = performance.now();
  for await (const peer of dead.last(peers())) {
    if ("result" in peer) {
      failures.push(peer);
      continue;
    }
    if (isEnough(tried++, startedAt)) break;
    try {
      const session = await openSession(peer, terms);
      dead.forget(peer);
      return session;
    } catch (error) {
      if (error instanceof WireError) dead.note(peer, error);
      failures.push(readFailure(error, tlsRequiredBy));
    }
  }
  const passing = failures.find(({ result }) => result === "delayed");
  const failure = passing ?? failures[0];
  if (!failure) throw new Error("The destination has no peers");
  if (passing || failsPermanently) return failure;
  return { ...failure, result: "delayed", dsn: failure.dsn.replace(/^5/, "4"), suppress: false };
}

const isEnough = (tried: number, startedAt: number): boolean =>
  tried === PEERS_TRIED_MAX || performance.now() - startedAt > TRYING_MS_MAX;

function readFailure(error: unknown, tlsRequiredBy?: string): Failure {
  if (error instanceof SessionRefused) return classifyReply(error.reply, error.stage);
  if (!(error instanceof WireError)) throw error;
  const why = error.dsn === "4.7.5" && tlsRequiredBy ? ` (required by ${tlsRequiredBy})` : "";
  // TLS errors can quote the host's certificate, whose size is unlimited.
  const message = error.message.slice(0, MESSAGE_CHARACTERS_MAX) + why;
  return { result: "delayed", dsn: error.dsn, message, suppress: false };
}
