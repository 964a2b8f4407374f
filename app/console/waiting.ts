/** Show the progress bar for requests that take longer than this. */
const LONG_MS = 1_000;

let longWaits = 0;
const listeners = new Set<() => void>();

function change(by: number): void {
  longWaits += by;
  for (const listener of listeners) listener();
}

/** Counts a request in progress. Call the returned function when it is answered or no longer needed. */
export function beginWaiting(): () => void {
  let isLong = false;
  const timer = setTimeout(() => {
    isLong = true;
    change(1);
  }, LONG_MS);
  return () => {
    clearTimeout(timer);
    if (isLong) change(-1);
    isLong = false;
  };
}

/** For `useSyncExternalStore`. Free of React because requests are made outside components. */
export const longWait = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Whether a request has been in progress for more than a second. */
  isOn: (): boolean => longWaits > 0,
};
