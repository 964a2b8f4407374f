import { test } from "vitest";

/**
 * Defines tests that depend on the machine. If the requirement is missing they are skipped, with the reason
 * in their titles.
 *
 * @param reason such as `needs root`
 */
export const testIf =
  (isPossible: boolean, reason: string) =>
  (title: string, run: () => Promise<void>): void =>
    isPossible ? test(title, run) : test.skip(`${title} (skipped: ${reason})`, run);
