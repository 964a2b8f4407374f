import type { Socket } from "node:net";

export type Life = {
  /** What a connection has anyway. */
  lifeMs: number;
  /** What it has to bring for more: the largest message takes over an hour on the slowest line we bear. */
  bytesPerSecondMin: number;
};

/**
 * Ends a connection that has lived long and brought little: a byte a minute would hold its place for
 * ever, and a large message on a slow line is welcome.
 */
export function limitLife(socket: Socket, { lifeMs, bytesPerSecondMin }: Life): void {
  const startedAt = performance.now();
  const check = () => {
    if (socket.destroyed) return;
    const earnedMs = lifeMs + (socket.bytesRead / bytesPerSecondMin) * 1000;
    const leftMs = startedAt + earnedMs - performance.now();
    if (leftMs <= 0) socket.destroy();
    else setTimeout(check, Math.ceil(leftMs)).unref();
  };
  check();
}
