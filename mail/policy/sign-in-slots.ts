/** Concurrent password checks per source. */
const AT_ONCE = 10;
/** Releases the slot of a sign-in whose end Dovecot never reported. */
const TURN_MAX_MS = 5_000;
/** Below the 30 s after which Dovecot fails the attempt (`auth_policy_server_timeout_msecs`). */
const WAIT_MAX_MS = 25_000;

type AddressSlots = { busy: number; waiting: (() => void)[] };

/**
 * Limits concurrent attempts per source. Pending attempts count as wrong passwords until they succeed, and after a
 * restart a whole company may reconnect from one IP address.
 */
export class SignInSlots {
  readonly #sources = new Map<string, AddressSlots>();
  readonly #held = new Map<string, () => void>();

  /**
   * Waits for a slot and acquires it for `session`. If none is released in time, the attempt proceeds without one: it is
   * counted anyway.
   */
  async acquire(source: string, session: string): Promise<void> {
    if (!(await this.#enter(source))) return;
    this.release(session);
    const timer = setTimeout(() => this.release(session), TURN_MAX_MS).unref();
    this.#held.set(session, () => {
      clearTimeout(timer);
      this.#leave(source);
    });
  }

  release(session: string): void {
    const leave = this.#held.get(session);
    this.#held.delete(session);
    leave?.();
  }

  #enter(name: string): Promise<boolean> {
    const source = this.#sources.get(name) ?? { busy: 0, waiting: [] };
    this.#sources.set(name, source);
    if (source.busy < AT_ONCE) {
      source.busy++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const call = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        source.waiting.splice(source.waiting.indexOf(call), 1);
        resolve(false);
      }, WAIT_MAX_MS).unref();
      source.waiting.push(call);
    });
  }

  #leave(name: string): void {
    const source = this.#sources.get(name);
    if (!source) return;
    const next = source.waiting.shift();
    if (next) next();
    else if (--source.busy === 0) this.#sources.delete(name);
  }
}
