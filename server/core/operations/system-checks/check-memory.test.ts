import { expect, test } from "vitest";

import { checkMemory } from "./check-memory.ts";

test("a machine sold with 1 GB passes, one with 512 MB is a warning", () => {
  expect(checkMemory(967 * 1024 ** 2)).toMatchObject({ state: "ok", found: "0.9 GB" });
  expect(checkMemory(480 * 1024 ** 2)).toMatchObject({ state: "warning", found: "0.5 GB" });
});
