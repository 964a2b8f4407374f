/** One source has so many passwords looked at at a time. */
const AT_ONCE = 10;
/** A sign-in that Dovecot never told the end of gives its turn back. */
const TURN_MAX_MS = 5_000;
/** Dovecot waits 30 s for us (`auth_policy_server_timeout_msecs`), and then lets the attempt pass. */
const WAIT_MAX_MS = 25_000;

type Source = { busy: number; waiting: (() => void)[] };

/**
 * Lets a few attempts of one source be under way at a time. Attempts under way count like wrong
 * passwords until they turn out right, and after a restart a whole company comes back from one address.
 */
export class Turns {
  readonly #sources = new Map<string, Source>();
  readonly #held = new Map<string, () => void>();

  /**
   * Waits for a turn of the source and holds it in the name of `session`. When none comes free in time
   * the attempt goes on without: it is counted all the same.
   */
  async take(source: string, session: string): Promise<void> {
    if (!(await this.#enter(source))) return;
    this.giveBack(session);
    const timer = setTimeout(() => this.giveBack(session), TURN_MAX_MS).unref();
    this.#held.set(session, () => {
      clearTimeout(timer);
      this.#leave(source);
    });
  }

  giveBack(session: string): void {
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
