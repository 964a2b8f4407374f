import type { Duplex } from "node:stream";

/** Passes on what each of two connections receives to the other one, until one ends or breaks. Then both end. */
export function joinStreams(one: Duplex, other: Duplex): void {
  const pairs = [
    [one, other],
    [other, one],
  ] as const;
  for (const [from, to] of pairs) {
    from.pipe(to);
    from.once("error", () => to.destroy());
    from.once("close", () => to.destroy());
  }
}
