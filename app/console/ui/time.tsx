import { useSyncExternalStore } from "react";

import { formatExactTime, formatRelativeTime } from "./format.ts";

/** Fine enough for "20 seconds ago". */
const TICK_MS = 10_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

const tick = () => listeners.forEach((listener) => listener());

/** One timer for all times on the page; browsers slow it down in the background, so it also ticks on return. */
function onTick(listener: () => void): () => void {
  if (listeners.size === 0) {
    timer = setInterval(tick, TICK_MS);
    document.addEventListener("visibilitychange", tick);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", tick);
  };
}

const step = () => Math.floor(Date.now() / TICK_MS) * TICK_MS;

/** The current time, rounded down to `TICK_MS`. */
export const useNow = (): Date => new Date(useSyncExternalStore(onTick, step, step));

/** A relative time that stays current, with the exact local and UTC time on hover. */
export function RelativeTime({ at }: { at: string }) {
  const moment = new Date(at);
  const read = () => formatRelativeTime(moment, new Date());
  return (
    <time dateTime={at} title={`${formatExactTime(moment)} · ${at}`}>
      {useSyncExternalStore(onTick, read, read)}
    </time>
  );
}

/** A time to the second in the reader's time zone. */
export const ExactTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={at}>
    {formatExactTime(new Date(at))}
  </time>
);
