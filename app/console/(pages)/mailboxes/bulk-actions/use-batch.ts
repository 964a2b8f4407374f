import { useEffect, useRef, useState } from "react";

import { ConsoleError } from "#app/console/console-client.ts";

/** How one of many ended. */
export type Outcome<Result> = { isDone: true; result: Result } | { isDone: false; problem: string };

/** How often the page follows: several acts a second are one change of it. */
const SHOWN_EVERY_MS = 150;

/**
 * Does something with each of many, a few at a time, and keeps how each ended. Leaving the page asks first
 * while it runs; what is done by then is done, and nothing is half done.
 *
 * @param work for one of them; what it throws is the reason that is shown
 * @param atOnce how many at a time
 */
export function useBatch<Result>(work: (id: string) => Promise<Result>, atOnce: number) {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome<Result>>>(new Map());
  const [isRunning, setIsRunning] = useState(false);
  const isStopped = useRef(false);
  useEffect(() => () => void (isStopped.current = true), []);
  useWarnBeforeUnload(isRunning);

  async function run(ids: string[]) {
    isStopped.current = false;
    setIsRunning(true);
    const waiting = [...ids];
    const ended = new Map<string, Outcome<Result>>();
    const show = () => setOutcomes((before) => new Map([...before, ...ended]));
    const timer = setInterval(show, SHOWN_EVERY_MS);
    const worker = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        if (isStopped.current) return;
        const outcome = await runOne(() => work(id));
        ended.set(id, outcome.outcome);
        if (outcome.isOver) isStopped.current = true;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    clearInterval(timer);
    show();
    setIsRunning(false);
  }

  return {
    outcomes,
    isRunning,
    run: (ids: string[]) => void run(ids),
    /** Ends it once what is being done is done. */
    stop: () => void (isStopped.current = true),
    reset: () => setOutcomes(new Map()),
  };
}

/** `isOver`: none of the others can do better. */
async function runOne<Result>(
  act: () => Promise<Result>,
): Promise<{ outcome: Outcome<Result>; isOver: boolean }> {
  try {
    return { outcome: { isDone: true, result: await act() }, isOver: false };
  } catch (error) {
    const isAnswer = error instanceof ConsoleError;
    const problem = isAnswer ? error.message : "The server cannot be reached";
    return { outcome: { isDone: false, problem }, isOver: !isAnswer || error.status === 401 };
  }
}

/** Asks before the page is left for as long as something would be lost by it. */
export function useWarnBeforeUnload(isLoss: boolean): void {
  useEffect(() => {
    if (!isLoss) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isLoss]);
}
