import { Slots } from "#server/core/shared/slots.ts";

/** Concurrent password checks per source. */
const AT_ONCE = 10;
/** Releases the slot of a sign-in whose end Dovecot never reported. */
const TURN_MAX_MS = 5_000;
/** Below the 30 s after which Dovecot fails the attempt (`auth_policy_server_timeout_msecs`). */
const WAIT_MAX_MS = 25_000;

/**
 * Limits concurrent attempts per source. Pending attempts count as wrong passwords until they succeed, and after a
 * restart a whole company may reconnect from one IP address.
 */
export class SignInSlots {
  readonly #slots = new Slots();
  readonly #held = new Map<string, () => void>();

  /**
   * Waits for a slot and acquires it for `session`. If none is released in time, the attempt proceeds without one: it is
   * counted anyway.
   */
  async acquire(source: string, session: string): Promise<void> {
    const signal = () => AbortSignal.timeout(WAIT_MAX_MS);
    const leave = await this.#slots.acquire(source, { max: AT_ONCE, signal });
    if (!leave) return;
    this.release(session);
    const timer = setTimeout(() => this.release(session), TURN_MAX_MS).unref();
    this.#held.set(session, () => {
      clearTimeout(timer);
      leave();
    });
  }

  release(session: string): void {
    const leave = this.#held.get(session);
    this.#held.delete(session);
    leave?.();
  }
}
