import type { Session } from "#worker/delivery/smtp/open-session.ts";

import type { ConnectionSlots } from "./connection-slots.ts";

type Options = {
  slots: ConnectionSlots;
  idleMs: number;
  /** Called with a session that must be closed. */
  onEnd: (session: Session) => void;
};

/** Connections without a message: they end after a while, when the server closes them, or if a slot is needed. */
export class IdleSessions {
  readonly #options: Options;
  readonly #withdrawals = new Map<Session, () => void>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Those idle now, the longest idle first. */
  get sessions(): Iterable<Session> {
    return this.#withdrawals.keys();
  }

  keep(session: Session): void {
    const { slots, idleMs, onEnd } = this.#options;
    const withdraw = () => {
      clearTimeout(timer);
      session.wire.onUnexpected(() => undefined);
      slots.withdrawIdle(session);
      this.#withdrawals.delete(session);
    };
    const end = () => {
      withdraw();
      onEnd(session);
    };
    const timer = setTimeout(end, idleMs);
    session.wire.onUnexpected(end);
    this.#withdrawals.set(session, withdraw);
    slots.offerIdle(session, end);
  }

  /** Takes a session back into use. */
  withdraw(session: Session): void {
    this.#withdrawals.get(session)?.();
  }
}
