import { expect, test, vi } from "vitest";

import { Display } from "#server/cli/display.mjs";
import type { Exit, Run } from "#server/processes/supervise.ts";

import { partsOf } from "./parts.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<Exit>((resolve) => {
    signal.addEventListener("abort", () => resolve({ code: 0, signal: null, lastLines: [] }));
  });

test("a shutdown calls onStopping of processes that have started, not of others", async () => {
  const parts = partsOf(new Display());
  const serving = vi.fn(() => Promise.resolve());
  const starting = vi.fn(() => Promise.resolve());
  const run = (signal: AbortSignal): Run => ({ pid: 1, exited: untilAborted(signal) });
  await parts.keep("serving", (signal) => Promise.resolve(run(signal)), { onStopping: serving })
    .started;
  const failed = parts.keep(
    "starting",
    (signal) => untilAborted(signal).then(() => Promise.reject(new Error("interrupted"))),
    { onStopping: starting },
  );
  const outcome = failed.started.catch((error: unknown) => error);
  await parts.stop();
  expect(await outcome).toEqual(new Error("interrupted"));
  expect(serving).toHaveBeenCalledOnce();
  expect(starting).not.toHaveBeenCalled();
});
