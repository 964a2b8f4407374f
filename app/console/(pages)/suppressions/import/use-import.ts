import { useEffect, useRef, useState } from "react";

import {
  addAll,
  ADDRESSES_PER_CALL,
  checkAll,
  useListChanged,
} from "#app/console/(pages)/suppressions/queries.ts";

import { type Counts, countOutcomes, judge, type JudgedLine } from "./judged-lines.ts";
import { readFile } from "./read-file.ts";

type Stage = "choosing" | "reading" | "checking" | "checked" | "adding" | "done";

export type ImportState = {
  stage: Stage;
  fileName: string;
  isCut: boolean;
  /** Lines that the stage is through with, and all of it. */
  done: number;
  total: number;
  counts: Counts;
  /** Why the stage stopped; it goes on from there. */
  error: Error | null;
};

const START: ImportState = {
  ...{ stage: "choosing", fileName: "", isCut: false, done: 0, total: 0 },
  ...{ counts: countOutcomes([]), error: null },
};

/**
 * The import of a file: it is read, then tried batch by batch without writing, then added batch by batch.
 * What fails on the way stops it there, and `goOn` takes it up again: a batch that was added already
 * adds nothing the second time.
 */
export function useImport() {
  const [state, setState] = useState(START);
  const lines = useRef<JudgedLine[]>([]);
  const seen = useRef(new Set<string>());
  /** Which run of the work counts: another file, or leaving the page, ends the one before. */
  const run = useRef(0);
  const listChanged = useListChanged();
  useEffect(
    () => () => {
      run.current += 1;
    },
    [],
  );

  const show = (change: Partial<ImportState>) => setState((before) => ({ ...before, ...change }));

  async function inBatches(
    batchOf: JudgedLine[],
    work: (batch: JudgedLine[]) => Promise<void>,
    from: number,
  ): Promise<boolean> {
    const own = ++run.current;
    for (let at = from; at < batchOf.length; at += ADDRESSES_PER_CALL) {
      const batch = batchOf.slice(at, at + ADDRESSES_PER_CALL);
      await work(batch);
      if (own !== run.current) return false;
      show({ done: at + batch.length, counts: countOutcomes(lines.current) });
    }
    return own === run.current;
  }

  const check = (from: number) =>
    inBatches(
      lines.current,
      async (batch) => judge(batch, (await checkAll(batch.map(textOf))).results, seen.current),
      from,
    );

  /** Those that are new are added; what was on the way when it stopped is asked once more. */
  async function add() {
    const rest = lines.current.filter(({ outcome }) => outcome === "new");
    return inBatches(
      rest,
      async (batch) => {
        const { results } = await addAll(batch.map(textOf));
        for (const [at, line] of batch.entries())
          line.outcome = results[at]?.outcome === "invalid" ? "invalid" : "added";
      },
      0,
    );
  }

  async function work(stage: "checking" | "adding", from: number) {
    show({ stage, error: null, done: from, total: totalOf(stage, lines.current) });
    try {
      const isOver = await (stage === "checking" ? check(from) : add());
      if (isOver) show({ stage: stage === "checking" ? "checked" : "done" });
    } catch (error) {
      show({ error: error instanceof Error ? error : new Error(String(error)) });
    } finally {
      if (stage === "adding") void listChanged();
    }
  }

  async function start(file: File) {
    run.current += 1;
    setState({ ...START, stage: "reading", fileName: file.name });
    seen.current = new Set();
    try {
      const { lines: given, isCut } = await readFile(file);
      lines.current = given.map((line) => ({ ...line, outcome: null }));
      show({ isCut });
      await work("checking", 0);
    } catch (error) {
      setState({ ...START, error: error instanceof Error ? error : new Error(String(error)) });
    }
  }

  return {
    state,
    lines: () => lines.current,
    start: (file: File) => void start(file),
    add: () => void work("adding", 0),
    goOn: () =>
      void work(
        state.stage === "adding" ? "adding" : "checking",
        state.stage === "adding" ? 0 : state.done,
      ),
    startOver: () => {
      run.current += 1;
      setState(START);
    },
  };
}

const textOf = ({ text }: JudgedLine) => text.slice(0, 1_000);

const totalOf = (stage: "checking" | "adding", lines: JudgedLine[]) =>
  stage === "checking" ? lines.length : countOutcomes(lines).new;
