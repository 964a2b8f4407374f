import { setTimeout as sleep } from "node:timers/promises";

import type { Display } from "#server/cli/display.mjs";
import type { MissingRecord } from "#server/core/operations/system-checks/server-records.ts";

const POLL_MS = 10_000;

/** Shows records as lines to copy. */
export function showRecords(display: Display, records: MissingRecord[]): void {
  for (const { type, name, value, purpose } of records) {
    display.line(`  ${display.bold(type.padEnd(5))} ${name}`);
    display.line(`        ${value}`);
    display.line(`        ${display.faint(purpose)}`);
  }
}

/**
 * Waits until DNS has all records, and shows each one when it is found.
 *
 * @returns the records that are still missing after the timeout
 */
export async function waitForRecords(
  missing: MissingRecord[],
  {
    find,
    display,
    timeoutMs,
    pollMs = POLL_MS,
  }: {
    find: () => Promise<MissingRecord[]>;
    display: Display;
    timeoutMs: number;
    pollMs?: number;
  },
): Promise<MissingRecord[]> {
  const deadline = performance.now() + timeoutMs;
  let left = missing;
  while (left.length > 0 && performance.now() + pollMs <= deadline) {
    await sleep(pollMs);
    const now = await find();
    const isMissing = (record: MissingRecord) =>
      now.some(
        ({ type, name, value }) =>
          type === record.type && name === record.name && value === record.value,
      );
    for (const record of left)
      if (!isMissing(record)) display.line(`${display.green("✓")} ${record.type} ${record.name}`);
    left = now;
  }
  return left;
}
