import pino from "pino";
import { expect, test, vi } from "vitest";

import { CountBuffer } from "./count-buffer.ts";

const log = pino({ level: "silent" });

test("equal rows are counted, and written once a minute", async () => {
  vi.useFakeTimers();
  const write = vi.fn(() => Promise.resolve());
  const buffer = new CountBuffer<{ name: string }>({ write, what: "names", log });
  for (const name of ["a", "b", "a"]) buffer.add({ name });
  await vi.advanceTimersByTimeAsync(59_000);
  expect(write).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(write).toHaveBeenCalledExactlyOnceWith([
    { name: "a", count: 2 },
    { name: "b", count: 1 },
  ]);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(write).toHaveBeenCalledOnce();
  vi.useRealTimers();
});

test("a failed write loses its counts, and no others", async () => {
  const write = vi.fn(() => Promise.resolve());
  write.mockRejectedValueOnce(new Error("no database"));
  const buffer = new CountBuffer<{ name: string }>({ write, what: "names", log });
  buffer.add({ name: "a" });
  await buffer.flush();
  buffer.add({ name: "b" });
  await buffer.flush();
  expect(write).toHaveBeenLastCalledWith([{ name: "b", count: 1 }]);
});
