import { expect, test, vi } from "vitest";

import { aDatabaseDoor } from "#server/testing/a-database-door.ts";

import { watchDatabase } from "./watch-database.ts";

test("the database's absence and its return are told once each", async () => {
  const door = await aDatabaseDoor();
  const onAway = vi.fn();
  const onBack = vi.fn();
  const stop = watchDatabase(door.url, { everyMs: 20, onAway, onBack });
  try {
    await door.untilUsed();
    await door.shut();
    await vi.waitFor(() => expect(onAway.mock.calls).toHaveLength(1), 10_000);
    expect(onBack.mock.calls).toEqual([]);

    await door.reopen();
    await vi.waitFor(() => expect(onBack.mock.calls).toEqual([[]]), 10_000);
    await door.untilUsed();
    await door.untilUsed();
    expect(onAway.mock.calls).toHaveLength(1);
    expect(onBack.mock.calls).toEqual([[]]);
  } finally {
    stop();
    await door.shut();
  }
});
