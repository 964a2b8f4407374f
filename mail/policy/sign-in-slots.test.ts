import { expect, onTestFinished, test, vi } from "vitest";

import { SignInSlots } from "./sign-in-slots.ts";

/** Requests `count` slots for one source and returns the sessions in the order in which they get one. */
function ask(turns: SignInSlots, count: number): string[] {
  const got: string[] = [];
  for (let i = 1; i <= count; i++)
    void turns.acquire("192.0.2.1", `session ${i}`).then(() => got.push(`session ${i}`));
  return got;
}

test("checks ten passwords of a source at a time, the rest in order, without delaying other sources", async () => {
  const turns = new SignInSlots();
  const got = ask(turns, 12);
  await vi.waitFor(() => expect(got).toHaveLength(10));
  await turns.acquire("192.0.2.2", "another");
  expect(got).toHaveLength(10);
  turns.release("session 3");
  turns.release("session 3");
  await vi.waitFor(() => expect(got.at(-1)).toBe("session 11"));
  turns.release("unknown");
  turns.release("session 11");
  await vi.waitFor(() => expect(got.at(-1)).toBe("session 12"));
});

test("a slot that is never released expires", async () => {
  vi.useFakeTimers();
  try {
    const turns = new SignInSlots();
    const got = ask(turns, 10);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(got).toHaveLength(10);
    const later = turns.acquire("192.0.2.1", "later").then(() => got.push("later"));
    await vi.advanceTimersByTimeAsync(1_000);
    await later;
    expect(got.at(-1)).toBe("later");
  } finally {
    vi.useRealTimers();
  }
});

test("sets a timer for waiting only if no slot is free", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  onTestFinished(() => timeout.mockRestore());
  const turns = new SignInSlots();
  const got = ask(turns, 10);
  await vi.waitFor(() => expect(got).toHaveLength(10));
  expect(timeout).not.toHaveBeenCalled();
  ask(turns, 1);
  expect(timeout).toHaveBeenCalledOnce();
});
