import { stat } from "node:fs/promises";

import { expect, test } from "vitest";

import { config } from "#server/config.ts";

import { ensureSetupToken, isSetupToken, removeSetupToken, setupTokenFile } from "./set-up.ts";

test("the setup token is created once, private, and invalid once removed", async () => {
  const { dataFolder } = config();
  expect(await isSetupToken("")).toBe(false);
  const tokens = [ensureSetupToken(dataFolder), ensureSetupToken(dataFolder)] as const;
  expect(new Set(tokens).size).toBe(1);
  expect(ensureSetupToken(dataFolder)).toBe(tokens[0]);
  expect((await stat(setupTokenFile(dataFolder))).mode & 0o777).toBe(0o600);

  expect(await isSetupToken(tokens[0])).toBe(true);
  for (const wrong of ["", `${tokens[0]}x`, tokens[0].slice(1)])
    expect(await isSetupToken(wrong)).toBe(false);

  removeSetupToken(dataFolder);
  expect(await isSetupToken(tokens[0])).toBe(false);
});
