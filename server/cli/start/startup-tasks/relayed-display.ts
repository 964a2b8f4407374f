import { Display } from "#server/cli/display.mjs";

import type { TaskReport } from "./messages.ts";

/** Sends steps and lines to the supervisor, which shows them on its own display. */
export class RelayedDisplay extends Display {
  readonly #send: (report: TaskReport) => void;
  #steps = 0;
  #failed = new WeakMap<object, number>();

  constructor(send: (report: TaskReport) => void) {
    super();
    this.#send = send;
  }

  override async step(title: string, work: () => Promise<unknown>): Promise<void> {
    const step = ++this.#steps;
    this.#send({ type: "step", step, title });
    try {
      const found = await work();
      this.#send({ type: "stepDone", step, found: typeof found === "string" ? found : undefined });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#send({ type: "stepFailed", step, reason });
      if (error instanceof Error) this.#failed.set(error, step);
      throw error;
    }
  }

  override line(text = ""): void {
    this.#send({ type: "line", text });
  }

  /** The step that failed with this error. */
  failedStep(error: Error): number | undefined {
    return this.#failed.get(error);
  }
}
