import { setTimeout as sleep } from "node:timers/promises";

import type { Config } from "#server/config.ts";
import { localUrlHost } from "#server/core/operations/system-checks/local-address.ts";

const POLL_MS = 100;

/** Measures for how long the web port doesn't answer. */
export function measureOutage({ bind, ports }: Config): { stop(): void; seconds(): number } {
  const url = `http://${localUrlHost(bind)}:${ports.web}/healthz`;
  let isOver = false;
  let answeredAt = performance.now();
  let longestMs = 0;
  void (async () => {
    while (!isOver) {
      const isUp = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      const now = performance.now();
      if (isUp) {
        longestMs = Math.max(longestMs, now - answeredAt);
        answeredAt = now;
      }
      await sleep(POLL_MS);
    }
  })();
  return {
    stop() {
      isOver = true;
    },
    seconds: () => Math.round(longestMs / 100) / 10,
  };
}
