type RunningCopy = { store: string; abort: AbortController; ended: Promise<unknown> };

const running = new Set<RunningCopy>();

/** Runs dsync on a mail store of this host, so that `endCopies` can end it. */
export async function runCopy<T>(
  store: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const result = run(abort.signal);
  const copy = { store, abort, ended: result.catch(() => {}) };
  running.add(copy);
  try {
    return await result;
  } finally {
    running.delete(copy);
  }
}

/**
 * Ends the copying of a mail store from or to this host, or of all of them, and waits until nothing more is written.
 */
export async function endCopies(store?: string): Promise<void> {
  const ending = [...running].filter((copy) => store === undefined || copy.store === store);
  for (const { abort } of ending) abort.abort();
  await Promise.all(ending.map(({ ended }) => ended));
}
