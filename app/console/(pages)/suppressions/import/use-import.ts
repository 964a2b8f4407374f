import { useEffect, useRef, useState } from "react";

import {
  addBatch,
  ADDRESSES_PER_REQUEST,
  checkBatch,
  useInvalidateSuppressions,
} from "#app/console/(pages)/suppressions/queries.ts";

import {
  type OutcomeCounts,
  countOutcomes,
  recordOutcomes,
  type ImportLine,
} from "./import-lines.ts";
import { readAddressFile } from "./read-address-file.ts";

type Stage = "choosing" | "reading" | "checking" | "checked" | "adding" | "done";

export type ImportState = {
  stage: Stage;
  fileName: string;
  isCut: boolean;
  /** Lines processed in this stage, and their total. */
  done: number;
  total: number;
  counts: OutcomeCounts;
  /** Why the stage stopped; `resume` continues from there. */
  error: Error | null;
};

const INITIAL_STATE: ImportState = {
  ...{ stage: "choosing", fileName: "", isCut: false, done: 0, total: 0 },
  ...{ counts: countOutcomes([]), error: null },
};

/**
 * Imports a file: reads it, checks it in batches without saving, then adds it in batches. After an error,
 * `resume` continues with the failed batch; adding a batch twice is harmless.
 */
export function useSuppressionImport() {
  const [state, setState] = useState(INITIAL_STATE);
  const lines = useRef<ImportLine[]>([]);
  const seen = useRef(new Set<string>());
  /** Identifies the current run; choosing another file or leaving the page cancels the previous one. */
  const run = useRef(0);
  const listChanged = useInvalidateSuppressions();
  useEffect(
    () => () => {
      run.current += 1;
    },
    [],
  );

  const show = (change: Partial<ImportState>) => setState((before) => ({ ...before, ...change }));

  async function inBatches(
    all: ImportLine[],
    work: (batch: ImportLine[]) => Promise<void>,
    from: number,
  ): Promise<boolean> {
    const own = run.current;
    for (let at = from; at < all.length; at += ADDRESSES_PER_REQUEST) {
      const batch = all.slice(at, at + ADDRESSES_PER_REQUEST);
      await work(batch);
      if (own !== run.current) return false;
      show({ done: at + batch.length, counts: countOutcomes(lines.current) });
    }
    return own === run.current;
  }

  const check = (from: number) =>
    inBatches(
      lines.current,
      async (batch) =>
        recordOutcomes(batch, (await checkBatch(batch.map(textOf))).results, seen.current),
      from,
    );

  /** Adds the new addresses. After an error, the batch that failed is sent again. */
  async function add() {
    const rest = lines.current.filter(({ outcome }) => outcome === "new");
    return inBatches(
      rest,
      async (batch) => {
        const { results } = await addBatch(batch.map(textOf));
        for (const [at, line] of batch.entries())
          line.outcome = results[at]?.outcome === "invalid" ? "invalid" : "added";
      },
      0,
    );
  }

  async function work(stage: "checking" | "adding", from: number) {
    const own = ++run.current;
    show({ stage, error: null, done: from, total: totalOf(stage, lines.current) });
    try {
      const isComplete = await (stage === "checking" ? check(from) : add());
      if (isComplete) show({ stage: stage === "checking" ? "checked" : "done" });
    } catch (error) {
      if (own === run.current)
        show({ error: error instanceof Error ? error : new Error(String(error)) });
    } finally {
      if (stage === "adding") void listChanged();
    }
  }

  async function start(file: File) {
    const own = ++run.current;
    setState({ ...INITIAL_STATE, stage: "reading", fileName: file.name });
    seen.current = new Set();
    try {
      const { lines: fileLines, isCut } = await readAddressFile(file);
      if (own !== run.current) return;
      lines.current = fileLines.map((line) => ({ ...line, outcome: null }));
      show({ isCut });
      await work("checking", 0);
    } catch (error) {
      if (own !== run.current) return;
      setState({
        ...INITIAL_STATE,
        error: error instanceof Error ? error : new Error(String(error)),
      });
    }
  }

  return {
    state,
    lines: () => lines.current,
    start: (file: File) => void start(file),
    add: () => void work("adding", 0),
    resume: () =>
      void work(
        state.stage === "adding" ? "adding" : "checking",
        state.stage === "adding" ? 0 : state.done,
      ),
    startOver: () => {
      run.current += 1;
      setState(INITIAL_STATE);
    },
  };
}

const textOf = ({ text }: ImportLine) => text.slice(0, 1_000);

const totalOf = (stage: "checking" | "adding", lines: ImportLine[]) =>
  stage === "checking" ? lines.length : countOutcomes(lines).new;
