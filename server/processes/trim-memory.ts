import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const CHECK_EVERY_MS = 5_000;
/** The process counts as idle after this many checks in a row with less work than `BUSY_UTILIZATION`. */
const IDLE_CHECKS = 2;
/** Share of the time that the event loop works. */
const BUSY_UTILIZATION = 0.1;
/** A collection blocks the event loop for about 100 ms, so it must be worth it. */
const GROWTH_BYTES = 8 * 1024 ** 2;
const TRIM_EVERY_MS = 20_000;

type Measures = {
  /** Share of the time since the last call that the event loop worked. */
  utilization(): number;
  /** Memory that the heap takes from the operating system. */
  heapBytes(): number;
  /** Collects all garbage and returns free memory to the operating system. */
  collect(): void;
};

/**
 * Returns memory allocated at startup or during peak load to the operating system, once the process is idle. Left to
 * itself, V8 keeps it: with nothing to do, it has no reason to collect garbage.
 *
 * @returns stops it
 */
export function trimMemoryWhenIdle(measures: Measures = processMeasures()): () => void {
  let idleChecks = 0;
  let trimmedBytes = 0;
  let sinceTrimMs = Infinity;
  const timer = setInterval(() => {
    sinceTrimMs += CHECK_EVERY_MS;
    idleChecks = measures.utilization() < BUSY_UTILIZATION ? idleChecks + 1 : 0;
    if (idleChecks < IDLE_CHECKS || sinceTrimMs < TRIM_EVERY_MS) return;
    if (measures.heapBytes() < trimmedBytes + GROWTH_BYTES) return;
    measures.collect();
    trimmedBytes = measures.heapBytes();
    sinceTrimMs = 0;
    // The collection itself is no work.
    measures.utilization();
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function processMeasures(): Measures {
  // Exposes V8's `gc`, which other collections don't replace: only one of last resort shrinks the young generation.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { type: string; flavor: string }) => void;
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  return {
    utilization() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    heapBytes: () => getHeapStatistics().total_heap_size,
    collect: () => collect({ type: "major", flavor: "last-resort" }),
  };
}
