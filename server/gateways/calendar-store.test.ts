import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { config } from "#server/config.ts";

import { collectionsPath, createCollections, linkCalendars } from "./calendar-store.ts";

beforeEach(async () => {
  config().dataFolder = await mkdtemp(join(tmpdir(), "collections-"));
});
afterEach(() => rm(config().dataFolder, { recursive: true }));

const create = (store: string) =>
  createCollections(store, () => Promise.resolve({ calendar: "Calendar", contacts: "Contacts" }));

test("two requests at once create the collections once", async () => {
  const store = "a.example/ann";
  await Promise.all([create(store), create(store), create(store)]);
  const home = collectionsPath(store);
  expect(readdirSync(home).toSorted()).toEqual(["calendar", "contacts"]);
  expect(readdirSync(join(home, ".."))).toEqual(["ann@a.example"]);
});

test("fails, and leaves nothing, if they can't be created", async () => {
  const store = `a.example/${"x".repeat(300)}`;
  await expect(create(store)).rejects.toThrow("ENAMETOOLONG");
  expect(readdirSync(join(collectionsPath(store), ".."))).toEqual([]);
});

test("a shared mailbox without collections, such as one that is being deleted, has no calendars", async () => {
  const store = "a.example/ann";
  await create(store);
  await create("a.example/sales");
  const shared = ["a.example/gone", "a.example/sales"].map((each) => ({
    store: each,
    canWrite: true,
  }));
  expect([...(await linkCalendars(store, shared)).values()]).toEqual(["a.example/sales"]);
});
