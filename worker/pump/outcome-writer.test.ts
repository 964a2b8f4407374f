import { pino } from "pino";
import { expect, test, vi } from "vitest";

import type { RecipientOutcome } from "#server/core/sending/outbox/record-outcomes.ts";

import { createOutcomeWriter } from "./outcome-writer.ts";

const outcomes = (count: number, from = 0): RecipientOutcome[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ rowId: String(from + i), emailId: "e", recipient: "r@a.test", attempt: 0 },
    ...{ type: "delivered", dsn: "2.0.0", message: "250 OK", suppress: false },
  }));

function aWriter(write: (batch: RecipientOutcome[]) => Promise<void>) {
  const written: string[] = [];
  const onWritten = (batch: RecipientOutcome[]) => written.push(...batch.map(({ rowId }) => rowId));
  return {
    writer: createOutcomeWriter({ write, onWritten, log: pino({ level: "silent" }) }),
    written,
  };
}

test("writes hundreds of outcomes in one batch, and a few without waiting for more", async () => {
  const batches: number[] = [];
  const { writer, written } = aWriter((batch) => {
    batches.push(batch.length);
    return Promise.resolve();
  });
  for (let i = 0; i < 300; i++) writer.add(outcomes(1, i));
  await vi.waitFor(() => expect(written).toHaveLength(300));
  expect(batches.length).toBeLessThanOrEqual(2);
});

test("keeps outcomes that can't be written, logs the error, and writes them in order later", async () => {
  let broken = true;
  const { writer, written } = aWriter(() =>
    broken ? Promise.reject(new Error("no database")) : Promise.resolve(),
  );
  writer.add(outcomes(3));
  await vi.waitFor(() => expect(writer.failing).toBe(true));
  writer.add(outcomes(3, 3));
  broken = false;
  await writer.drain();
  expect(written).toEqual(["0", "1", "2", "3", "4", "5"]);
  expect(writer.failing).toBe(false);
});
