import { useEffect, useRef, useState } from "react";

import { ConsoleError, NoAnswerInTime } from "#app/console/console-client.ts";
import { useWarnBeforeUnload } from "#app/console/ui/form/use-form.ts";

export type BatchResult<Result> =
  { isDone: true; result: Result } | { isDone: false; problem: string };

/** Batches outcomes, so that the page doesn't render for each. */
const SHOWN_EVERY_MS = 150;

/**
 * Runs `work` for each ID with limited concurrency and keeps the outcomes. Warns before the page is
 * left while it runs.
 *
 * @param work throws an error to show for the item
 * @param atOnce concurrency
 */
export function useBatch<Result>(work: (id: string) => Promise<Result>, atOnce: number) {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, BatchResult<Result>>>(new Map());
  const [isRunning, setIsRunning] = useState(false);
  const isStopped = useRef(false);
  useEffect(() => () => void (isStopped.current = true), []);
  useWarnBeforeUnload(isRunning);

  async function run(ids: string[]) {
    isStopped.current = false;
    setIsRunning(true);
    const waiting = [...ids];
    const ended = new Map<string, BatchResult<Result>>();
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
    /** Stops after the items in progress. */
    stop: () => void (isStopped.current = true),
    reset: () => setOutcomes(new Map()),
  };
}

/** `isOver` stops the batch: the remaining items would fail the same way. */
async function runOne<Result>(
  act: () => Promise<Result>,
): Promise<{ outcome: BatchResult<Result>; isOver: boolean }> {
  try {
    return { outcome: { isDone: true, result: await act() }, isOver: false };
  } catch (error) {
    const isAnswer = error instanceof ConsoleError;
    return {
      outcome: { isDone: false, problem: describe(error as Error) },
      isOver: !isAnswer || error.status === 401,
    };
  }
}

function describe(error: Error): string {
  if (error instanceof ConsoleError) return error.message;
  return error instanceof NoAnswerInTime
    ? "The server took too long to answer. The change may have been made, so retry"
    : "Can’t reach the server. The change may have been made, so retry";
}
