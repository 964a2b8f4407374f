import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

import type { Display } from "#server/cli/display.mjs";
import type { FileLock } from "#server/processes/file-lock.ts";
import { NODE_FLAGS } from "#server/processes/node-flags.ts";
import { withRunLock } from "#server/processes/run-lock.ts";

import type { TaskReport, TaskRequest } from "./messages.ts";

const PROGRAM = join(import.meta.dirname, "task-process.ts");

/** The process that runs the one-off work of a start. */
export type TaskProcess = {
  /** @throws Error with the reason if the task fails, already shown if one of its steps failed */
  run(request: TaskRequest): Promise<void>;
  /** Ends the process, in the middle of a task too. */
  stop(): Promise<void>;
};

/**
 * Starts the process, which loads its code while the database starts.
 *
 * @param display shows its steps
 * @param runLock inherited by the process
 */
export function startTaskProcess(
  display: Display,
  { runLock, env }: { runLock: FileLock; env: NodeJS.ProcessEnv },
): TaskProcess {
  const child = spawn(process.execPath, [...NODE_FLAGS, PROGRAM], {
    env,
    // Its own session: Ctrl-C in the terminal reaches the supervisor only.
    detached: true,
    stdio: withRunLock(["ignore", "inherit", "inherit", "ipc"], runLock),
  });
  const exited = untilExited(child);
  return {
    async run(request) {
      const ended = untilDone(child, display);
      child.send(request, () => {});
      await Promise.race([ended, exited.then(fail)]);
    },
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function untilExited(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${String(code)}`));
  });
}

function fail(reason: string): never {
  throw new Error(`A process of the start ended (${reason})`);
}

/** Shows the steps of a task until it ends. */
function untilDone(child: ChildProcess, display: Display): Promise<void> {
  const steps = new Map<number, ShownStep>();
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      child.off("message", take);
      if (error) reject(error);
      else resolve();
    };
    // One report after the other, so that a line never comes before the end of a step.
    let shown = Promise.resolve();
    const take = (report: TaskReport) => {
      shown = shown.then(() => show(report, steps, display));
      if (report.type === "done") void shown.then(() => settle());
      if (report.type === "failed")
        void shown.then(() =>
          settle(steps.get(report.step ?? 0)?.error ?? new Error(report.reason)),
        );
    };
    child.on("message", take);
  });
}

type ShownStep = {
  end: PromiseWithResolvers<string | undefined>;
  /** Resolves once its end is on the display. */
  shown: Promise<void>;
  error?: Error;
};

async function show(
  report: TaskReport,
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
  } else if (report.type === "stepFailed") {
    const step = steps.get(report.step)!;
    step.error = new Error(report.reason);
    step.end.reject(step.error);
    await step.shown;
  } else if (report.type === "line") display.line(report.text);
}
