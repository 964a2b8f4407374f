/** Who waits longer than this is shown that something is on its way. */
const LONG_MS = 1_000;

let longWaits = 0;
const listeners = new Set<() => void>();

function change(by: number): void {
  longWaits += by;
  for (const listener of listeners) listener();
}

/** Something is asked for; call what it returns when the answer is there, or nobody waits for it any more. */
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

/** For `useSyncExternalStore`; without React, since who asks the server is no component. */
export const longWait = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Whether anybody has waited for more than a second and still does. */
  isOn: (): boolean => longWaits > 0,
};
