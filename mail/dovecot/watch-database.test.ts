import { expect, test, vi } from "vitest";

import { aDatabaseProxy } from "#server/testing/a-database-proxy.ts";

import { watchDatabase } from "./watch-database.ts";

test("reports each outage and each recovery of the database once, however short", async () => {
  const door = await aDatabaseProxy();
  const onAway = vi.fn();
  const onBack = vi.fn();
  const used = door.untilUsed();
  const stop = watchDatabase(door.url, { everyMs: 20, onAway, onBack });
  try {
    await used;
    await door.shut();
    await vi.waitFor(() => expect(onAway.mock.calls).toHaveLength(1));
    expect(onBack.mock.calls).toEqual([]);

    await door.reopen();
    await vi.waitFor(() => expect(onBack.mock.calls).toEqual([[]]));

    await door.shut();
    await door.reopen();
    await vi.waitFor(() => expect(onBack.mock.calls).toHaveLength(2));
    expect(onAway.mock.calls).toHaveLength(2);
  } finally {
    stop();
    await door.shut();
  }
});
