/** More than may wait. */
export class TooMuchWork extends Error {
  override name = "TooMuchWork";
}

/**
 * Runs work of one kind at most `running` at a time; the rest waits its turn.
 *
 * @returns a function that runs what it is given; it throws TooMuchWork when `waiting` wait already
 */
export function atMost({ running, waiting }: { running: number; waiting: number }) {
  let free = running;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else if (queue.length >= waiting) throw new TooMuchWork("Too much of it waits");
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}
