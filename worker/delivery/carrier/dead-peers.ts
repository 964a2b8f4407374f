import { createTtlCache } from "#server/core/shared/ttl-cache.ts";
import type { Failure } from "#mail/smtp/outcome.ts";
import type { Peer } from "#mail/smtp/session.ts";
import type { WireError } from "#mail/smtp/wire.ts";

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
