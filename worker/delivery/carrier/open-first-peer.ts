import { delayed, type Failure } from "#mail/smtp/outcome.ts";
import {
  notEncrypted,
  openSession,
  type Peer,
  type Session,
  type Timeouts,
} from "#mail/smtp/session.ts";
import { formatTls, formatTlsa, type TlsOutcome, type TlsPolicy } from "#mail/smtp/tls.ts";
import { recipientDomain, type Transaction } from "#mail/smtp/envelope.ts";
import { WireError } from "#mail/smtp/wire.ts";
import { classifyOpeningError } from "#server/core/sending/server-replies/classify-reply.ts";
import { createTtlCache } from "#server/core/shared/caches.ts";

import type { Destination } from "./destinations.ts";

/** A domain may list a hundred hosts, and each that doesn't answer takes half a minute. */
const PEERS_TRIED_MAX = 5;
/** No other host is tried after this long: slow ones may take minutes each. */
const TRYING_MS_MAX = 5 * 60_000;

type Options = {
  hostname: string;
  timeouts: Timeouts;
  dead: DeadPeers;
  /** The first message to send. */
  transaction: Transaction;
  /** Called with each connection to a mail server of a domain that got as far as TLS. */
  onTls: ((connection: TlsConnection) => void) | undefined;
};

export type TlsConnection = {
  /** Domain of the first message sent over it. */
  domain: string;
  host: string;
  outcome: TlsOutcome;
  /** Addresses; null if unknown. */
  from: string | null;
  to: string | null;
  /** The TLSA records that apply, as in a zone file. */
  records: string[];
};

/**
 * Opens a session with the first host that accepts one; hosts that didn't respond recently are tried last.
 * If none accepts, the failure is permanent only if every host rejected permanently: one that didn't answer
 * may be back tomorrow.
 */
export async function openFirstPeer(
  { peers, failsPermanently, isReported }: Destination,
  { dead, onTls, transaction, ...options }: Options,
): Promise<Session | Failure> {
  const failures: Failure[] = [];
  const report = (peer: Peer, outcome: TlsOutcome | null, from: string | null) => {
    const domain = recipientDomain(transaction);
    if (outcome && isReported) onTls?.({ domain, outcome, from, ...describePeer(peer) });
  };
  let tried = 0;
  const startedAt = performance.now();
  for await (const peer of dead.last(peers())) {
    if ("result" in peer) {
      failures.push(peer);
      continue;
    }
    if (isEnough(tried++, startedAt)) break;
    try {
      const session = await openSession(peer, options);
      dead.forget(peer);
      report(peer, session.tls, session.wire.localAddress);
      return session;
    } catch (error) {
      if (error instanceof WireError) dead.note(peer, error);
      const tls = failedTls(error, peer);
      report(peer, tls, localAddressOf(error));
      failures.push(readFailure(error, { peer, tls }));
    }
  }
  const passing = failures.find(({ result }) => result === "delayed");
  const failure = passing ?? failures[0];
  if (!failure) throw new Error("The destination has no peers");
  if (passing || failsPermanently) return failure;
  return delayed(failure);
}

const describePeer = ({ name, target, dane }: Peer) => ({
  host: name,
  to: "host" in target ? target.host : null,
  records: "port" in target && dane ? formatTlsa(dane, target.port) : [],
});

const isEnough = (tried: number, startedAt: number): boolean =>
  tried === PEERS_TRIED_MAX || performance.now() - startedAt > TRYING_MS_MAX;

const DEMANDS: Partial<Record<TlsPolicy, string>> = {
  "mta-sts": "the domain's MTA-STS policy",
  dane: "the host's TLSA records",
};

const localAddressOf = (error: unknown) => (error instanceof WireError ? error.localAddress : null);

const failedTls = (error: unknown, peer: Peer) =>
  error instanceof WireError && error.tlsFailure ? notEncrypted(peer, error.tlsFailure) : null;

function readFailure(
  error: unknown,
  { peer, tls }: { peer: Peer; tls: TlsOutcome | null },
): Failure {
  const failure = classifyOpeningError(error);
  const demand = failure.dsn === "4.7.5" && peer.policy && DEMANDS[peer.policy];
  const message = demand ? `${failure.message} (required by ${demand})` : failure.message;
  return tls
    ? { ...failure, message, host: peer.name, tls: formatTls(tls) }
    : { ...failure, message };
}

const DEAD_PEER_TTL_MS = 5 * 60_000;
const DEAD_PEERS_MAX = 10_000;

/** Addresses that didn't respond recently; each new attempt there could take half a minute. */
export class DeadPeers {
  readonly #dead = createTtlCache<true>({ max: DEAD_PEERS_MAX, ttlMs: DEAD_PEER_TTL_MS });

  /** Records a host that refused the connection or timed out before a session began. */
  note(peer: Peer, error: WireError): void {
    if (error.dsn !== "4.4.1" && error.dsn !== "4.4.2") return;
    this.#dead.set(peerKey(peer), true);
  }

  forget(peer: Peer): void {
    this.#dead.delete(peerKey(peer));
  }

  /** Yields the same peers, dead ones last. */
  async *last(peers: AsyncGenerator<Peer | Failure>): AsyncGenerator<Peer | Failure> {
    const dead: Peer[] = [];
    for await (const peer of peers)
      if (!("result" in peer) && this.#isDead(peer)) dead.push(peer);
      else yield peer;
    yield* dead;
  }

  #isDead(peer: Peer): boolean {
    return this.#dead.has(peerKey(peer));
  }
}

const peerKey = ({ target }: Peer): string =>
  "path" in target ? target.path : `${target.host} ${target.port}`;
