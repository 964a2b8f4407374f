import { type ChildProcess, spawn } from "node:child_process";

import { ROOT_CODE_CACHE } from "#server/cli/bootstrap/code-cache.mjs";
import type { Display } from "#server/cli/display.mjs";
import { NODE_FLAGS } from "#server/processes/node-process.ts";
import { programFile } from "#server/processes/program-file.ts";
import { type FileLock, withRunLock } from "#server/processes/run-lock.ts";

const PROGRAM = programFile("server/cli/start/startup-tasks/task-process.ts");

/** The process that runs the one-off work of a start. */
export type TaskProcess = {
  /**
   * @returns what the task found
   * @throws Error with the reason if the task fails, already shown if one of its steps failed
   */
  run(request: TaskRequest): Promise<number | null>;
  /** Ends the process, in the middle of a task too. */
  stop(): Promise<void>;
};

/**
 * Starts the process, which loads its code while the database starts.
 *
 * @param display shows its steps
 * @param runLock inherited by the process
 */
export function startTaskProcess(display: Display, runLock: FileLock | null): TaskProcess {
  const child = spawn(process.execPath, [...NODE_FLAGS, PROGRAM], {
    // Its own session: Ctrl-C in the terminal reaches the supervisor only.
    detached: true,
    // Only root's doesn't come with the environment.
    env: {
      ...(process.getuid!() === 0 && { NODE_COMPILE_CACHE: ROOT_CODE_CACHE }),
      ...process.env,
    },
    stdio: withRunLock(["ignore", "inherit", "inherit", "ipc"], runLock),
  });
  const exited = untilExited(child);
  return {
    async run(request) {
      const done = untilDone(child, exited, display);
      child.send(request, () => {});
      return done;
    },
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Resolves with the reason. */
function untilExited(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${String(code)}`));
  });
}

type ShownStep = {
  end: PromiseWithResolvers<string | undefined>;
  /** Resolves once its end is on the display. */
  shown: Promise<void>;
  error?: Error;
};

/** Shows the steps of a task until it ends. */
async function untilDone(
  child: ChildProcess,
  exited: Promise<string>,
  display: Display,
): Promise<number | null> {
  const steps = new Map<number, ShownStep>();
  const task = Promise.withResolvers<number | null>();
  // One report after the other, so that a line never comes before the end of a step.
  let shown = Promise.resolve();
  const take = (report: TaskReport) => {
    shown = shown.then(async () => {
      if (report.type === "done") task.resolve(report.found);
      else if (report.type === "failed") task.reject(failureOf(report, steps));
      else await show(report, steps, display);
    });
  };
  child.on("message", take);
  void exited.then(async (reason) => {
    await shown;
    const error = new Error(`the process of the start-up tasks ended (${reason})`);
    await Promise.all([...steps.values()].map((step) => failStep(step, error)));
    task.reject(error);
  });
  return task.promise.finally(() => child.off("message", take));
}

type Progress = Exclude<TaskReport, { type: "done" | "failed" }>;

async function show(
  report: Progress,
  steps: Map<number, ShownStep>,
  display: Display,
): Promise<void> {
  if (report.type === "step") {
    const end = Promise.withResolvers<string | undefined>();
    // The task fails with the error of its step.
    const shown = display.step(report.title, () => end.promise).catch(() => {});
    steps.set(report.step, { end, shown });
  } else if (report.type === "stepDone") {
    const { end, shown } = steps.get(report.step)!;
    end.resolve(report.found);
    await shown;
  } else if (report.type === "stepFailed")
    await failStep(steps.get(report.step)!, new Error(report.reason));
  else display.line(report.text);
}

/** Does nothing to a step that has ended. */
async function failStep(step: ShownStep, error: Error): Promise<void> {
  step.error ??= error;
  step.end.reject(error);
  await step.shown;
}

/** The error that the display has shown, if the task failed at a step. */
function failureOf(
  { reason, stack, step }: Extract<TaskReport, { type: "failed" }>,
  steps: Map<number, ShownStep>,
): Error {
  return steps.get(step ?? 0)?.error ?? Object.assign(new Error(reason), { stack });
}

/** The work of a start that needs most of the code, in the order in which it runs. */
export type TaskName =
  | "requireDurableCommits"
  | "appliedSchema"
  | "ensureAppRole"
  | "migrate"
  | "moveDatabase"
  | "prepare"
  | "holdWrites"
  | "awaitReady"
  | "releaseWrites"
  | "finish";

/** From the supervisor to the process of the start-up tasks. */
export type TaskRequest = {
  task: TaskName;
  databaseUrl: string;
  /** For the cluster that the database is moved to. */
  folder?: string;
  /** Whether to run the self-check, in local mode. */
  withSelfCheck?: boolean;
};

/** The answers: progress for the supervisor's display, and the end of the task. */
export type TaskReport =
  | { type: "step"; step: number; title: string }
  | { type: "stepDone"; step: number; found: string | undefined }
  | { type: "stepFailed"; step: number; reason: string }
  | { type: "line"; text: string }
  | { type: "done"; found: number | null }
  /** `step` is the step that failed, if the error came from one. */
  | { type: "failed"; reason: string; stack: string | undefined; step: number | undefined };
