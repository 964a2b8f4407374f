/**
 * Waits, or returns early when the signal aborts.
 *
 * @param ref false if waiting must not keep the process alive
 */
export function pause(ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (!ref) timer.unref();
    signal.addEventListener("abort", end);
  });
}
