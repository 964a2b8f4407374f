import type { Db } from "./client.ts";

type Waiting<Value> = { key: string; answer: PromiseWithResolvers<Value | undefined> };

/**
 * One statement for what many ask at the same time: a question asked while a statement runs goes into the
 * next one, so that every answer is at least as new as its question, and a lone question waits no longer than one turn of the event loop.
 *
 * @param ask answers for distinct keys; what is missing is answered as undefined
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
      // Not at once: what came in with the same turn of the event loop is asked along.
      setImmediate(() => void answerAll(db, queue));
    }
    return answer.promise;
  };
}
