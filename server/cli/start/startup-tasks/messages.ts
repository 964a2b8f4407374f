/** The work of a start that needs most of the code, in the order in which it runs. */
export type TaskName =
  | "requireDurableCommits"
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
  | { type: "done" }
  /** `step` is the step that failed, if the error came from one. */
  | { type: "failed"; reason: string; stack: string | undefined; step: number | undefined };
