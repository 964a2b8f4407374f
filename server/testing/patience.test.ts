import { expect, test, vi } from "vitest";

const never = () => {
  throw new Error("not yet");
};

test("waits longer than vitest by default", async () => {
  const start = performance.now();
  await vi.waitFor(() => expect(performance.now() - start).toBeGreaterThan(1_300));
  await expect.poll(() => performance.now() - start).toBeGreaterThan(2_600);
});

test("waits as long as a test says", async () => {
  await expect(vi.waitFor(never, { timeout: 100, interval: 20 })).rejects.toThrow("not yet");
  await expect(vi.waitFor(never, 100)).rejects.toThrow("not yet");
});
