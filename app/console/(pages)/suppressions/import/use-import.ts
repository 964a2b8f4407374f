import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import {
  ADDRESSES_PER_REQUEST,
  type SuppressionOrigin,
} from "#app/console/(pages)/suppressions/labels.ts";
import { type AnswerOf, change } from "#app/console/console-client.ts";
import type { TableRow } from "#server/universal/imports/parse-table.ts";

import { readListFile } from "./read-list-file.ts";

type Stage = "choosing" | "reading" | "checking" | "checked" | "adding" | "done";

export type ImportState = {
  stage: Stage;
  fileName: string;
  /** As the server recognized it; "" until then. */
  format: string;
  isCut: boolean;
  /** Lines processed in this stage, and their total. */
  done: number;
  total: number;
  counts: OutcomeCounts;
  /** Why the stage stopped; `resume` continues from there. */
  error: Error | null;
};

const INITIAL_STATE: ImportState = {
  stage: "choosing",
  fileName: "",
  format: "",
  isCut: false,
  done: 0,
  total: 0,
  counts: countOutcomes([]),
  error: null,
};

/**
 * Imports a file: reads it, checks it in batches without saving, then adds it in batches. After an error,
 * `resume` continues with the failed batch; adding a batch twice is harmless.
 */
export function useSuppressionImport() {
  const [state, setState] = useState(INITIAL_STATE);
  const lines = useRef<SuppressionLine[]>([]);
  /** Says what the columns are, so it is sent with each batch. */
  const file = useRef({ fileName: "", first: [] as string[] });
  const seen = useRef(new Set<string>());
  /** Identifies the current run; choosing another file or leaving the page cancels the previous one. */
  const run = useRef(0);
  const queryClient = useQueryClient();
  useEffect(
    () => () => {
      run.current += 1;
    },
    [],
  );

  const show = (news: Partial<ImportState>) => setState((before) => ({ ...before, ...news }));

  async function inBatches(
    all: SuppressionLine[],
    work: (batch: SuppressionLine[]) => Promise<void>,
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
      async (batch) => {
        const { format, results } = await change("suppressions.checkList", {
          body: { ...file.current, rows: rowsOf(batch) },
        });
        recordOutcomes(batch, results, seen.current);
        show({ format });
      },
      from,
    );

  /** Adds the new addresses. After an error, the batch that failed is sent again. */
  async function add() {
    const rest = lines.current.filter(({ outcome }) => outcome === "new");
    return inBatches(
      rest,
      async (batch) => {
        await change("suppressions.importList", {
          body: { ...file.current, rows: rowsOf(batch) },
        });
        for (const line of batch) line.outcome = "added";
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
      if (stage === "adding") void queryClient.invalidateQueries({ queryKey: ["suppressions"] });
    }
  }

  async function start(chosen: File) {
    const own = ++run.current;
    setState({ ...INITIAL_STATE, stage: "reading", fileName: chosen.name });
    seen.current = new Set();
    try {
      const { first, lines: fileLines, isCut } = await readListFile(chosen);
      if (own !== run.current) return;
      file.current = { fileName: chosen.name.slice(-FILE_NAME_MAX), first };
      lines.current = fileLines.map(toImportLine);
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

/** The server's limit. */
const FILE_NAME_MAX = 255;

const rowsOf = (batch: SuppressionLine[]) => batch.map(({ cells }) => cells);

const totalOf = (stage: "checking" | "adding", lines: SuppressionLine[]) =>
  stage === "checking" ? lines.length : countOutcomes(lines).new;

type LineState = "new" | "already" | "invalid" | "duplicate" | "header" | "added";

/** A line of the file with its outcome, which is null until it is known. */
export type SuppressionLine = TableRow & {
  outcome: LineState | null;
  /** As written if it is invalid. */
  address: string;
  origin: SuppressionOrigin | null;
  problem: string | null;
};

export type OutcomeCounts = Record<LineState, number>;

const toImportLine = (line: TableRow): SuppressionLine => ({
  ...line,
  outcome: null,
  address: "",
  origin: null,
  problem: null,
});

function countOutcomes(lines: SuppressionLine[]): OutcomeCounts {
  const counts: OutcomeCounts = {
    new: 0,
    already: 0,
    invalid: 0,
    duplicate: 0,
    header: 0,
    added: 0,
  };
  for (const { outcome } of lines) if (outcome !== null) counts[outcome] += 1;
  return counts;
}

/** How many new addresses there are for each reason. */
export function countOrigins(lines: SuppressionLine[]): Map<SuppressionOrigin, number> {
  const counts = new Map<SuppressionOrigin, number>();
  for (const { outcome, origin } of lines)
    if (outcome === "new" && origin !== null) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return counts;
}

/**
 * Records the server's results for a batch. Addresses that occurred earlier in the file are duplicates.
 *
 * @param seen addresses of earlier lines; this batch's are added
 */
function recordOutcomes(
  batch: SuppressionLine[],
  results: AnswerOf<"suppressions.checkList">["results"],
  seen: Set<string>,
): void {
  for (const [at, line] of batch.entries()) {
    const { outcome, ...found } = results[at]!;
    const isAddress = outcome === "new" || outcome === "already";
    const isDuplicate = isAddress && seen.has(found.address);
    Object.assign(line, found, { outcome: isDuplicate ? "duplicate" : outcome });
    if (isAddress) seen.add(found.address);
  }
}
