import type { Db } from "./client.ts";

type Waiting<Value> = { key: string; answer: PromiseWithResolvers<Value | undefined> };

/**
 * Batches concurrent lookups into one statement: lookups that arrive while a statement runs go into the next one, so
 * every result is at least as new as its lookup. A single lookup waits for at most one turn of the event loop.
 *
 * @param ask looks up distinct keys; missing keys resolve to undefined
 */
export function gathering<Value>(ask: (db: Db, keys: string[]) => Promise<Map<string, Value>>) {
  const waiting = new Map<Db, Waiting<Value>[]>();

  async function answerAll(db: Db, queue: Waiting<Value>[]): Promise<void> {
    while (queue.length > 0) {
      const asked = queue.splice(0);
      try {
        const found = await ask(db, [...new Set(asked.map(({ key }) => key))]);
        for (const { key, answer } of asked) answer.resolve(found.get(key));
      } catch (error) {
        for (const { answer } of asked) answer.reject(error);
      }
    }
    waiting.delete(db);
  }

  return (db: Db, key: string): Promise<Value | undefined> => {
    const answer = Promise.withResolvers<Value | undefined>();
    const running = waiting.get(db);
    if (running) running.push({ key, answer });
    else {
      const queue = [{ key, answer }];
      waiting.set(db, queue);
      // Deferred, to include lookups from the same turn of the event loop.
      setImmediate(() => void answerAll(db, queue));
    }
    return answer.promise;
  };
}
