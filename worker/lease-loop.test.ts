import { setTimeout as wait } from "node:timers/promises";

import { afterEach, expect, test, vi } from "vitest";
import { pino } from "pino";

import { connect } from "#server/db/client.ts";
import { pool } from "#server/db/pool.ts";
import { aDatabaseProxy } from "#server/testing/a-database-proxy.ts";
import { acceptAll, aScriptedCarrier, pumpOptions } from "#server/testing/message-pump.ts";
import type { LeaseOutcome } from "#server/core/sending/outbox/record-outcomes.ts";

import { Deliverer } from "./webhooks/deliverer.ts";
import { emailSource } from "./pump/email-source.ts";
import { Pump } from "./pump/pump.ts";

import { createOutcomeWriter, LeaseLoop, SWEEP_MS } from "./lease-loop.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const realNow = performance.now.bind(performance);
const passSeconds = (seconds: number) =>
  vi.spyOn(performance, "now").mockImplementation(() => realNow() + seconds * 1_000);

const waitForPendingWork = (loop: { isStalled: boolean }) =>
  vi.waitFor(() => expect(loop.isStalled).toBe(false));

const aLoop = (given: Partial<ConstructorParameters<typeof LeaseLoop>[0]>) =>
  new LeaseLoop({
    connection: pool(),
    log: pino({ level: "silent" }),
    what: "nothing",
    channel: "nothing",
    pauseMs: 1,
    lease: () => Promise.resolve("all"),
    untilDueMs: () => Promise.resolve(null),
    write: () => Promise.resolve(),
    onWritten: () => undefined,
    settle: (done) => done,
    release: () => Promise.resolve(),
    ...given,
  });

/** Starts a loop, and resolves once it waits until the next row is due. */
async function aQuietLoop(given: Parameters<typeof aLoop>[0], dueMs: number) {
  const lease = vi.fn(() => Promise.resolve("all" as const));
  const untilDueMs = vi.fn(() => Promise.resolve(dueMs));
  const loop = aLoop({ lease, untilDueMs, ...given });
  await loop.start();
  await vi.waitFor(() => expect(untilDueMs).toHaveBeenCalled());
  lease.mockClear();
  return { loop, lease };
}

test("a quiet loop leases again at a notification, and not before", async () => {
  const { loop, lease } = await aQuietLoop({ channel: "quiet" }, 3_600_000);
  await wait(2_000);
  expect(lease).not.toHaveBeenCalled();
  await pool().sql.notify("quiet", "");
  await vi.waitFor(() => expect(lease).toHaveBeenCalled(), { timeout: 3_000 });
  await loop.stop();
});

test("a quiet loop leases again when the next row is due", async () => {
  const { loop, lease } = await aQuietLoop({}, 300);
  await vi.waitFor(() => expect(lease).toHaveBeenCalled(), { timeout: 3_000 });
  await loop.stop();
});

test("a quiet loop asks again when a row is due after it wrote an outcome", async () => {
  const { loop, lease } = await aQuietLoop({}, 3_600_000);
  loop.record([{}]);
  await vi.waitFor(() => expect(lease).toHaveBeenCalled(), { timeout: 3_000 });
  await loop.stop();
});

test("a quiet loop leases every half minute, even if nothing tells it to", async () => {
  expect(SWEEP_MS).toBe(30_000);
  const { loop, lease } = await aQuietLoop({ pollMs: 200 }, 3_600_000);
  await vi.waitFor(() => expect(lease).toHaveBeenCalled(), { timeout: 3_000 });
  await loop.stop();
});

test("a loop that stops wakes the others, for the rows that it releases", async () => {
  const { loop, lease } = await aQuietLoop({}, 3_600_000);
  const other = aLoop({});
  await other.start();
  await other.stop();
  await vi.waitFor(() => expect(lease).toHaveBeenCalled(), { timeout: 3_000 });
  await loop.stop();
});

test("a quiet loop listens and leases again after the database was away", async () => {
  const door = await aDatabaseProxy();
  const connection = connect(door.url, { max: 1 });
  const { loop, lease } = await aQuietLoop(
    { connection, channel: "quiet", pollMs: 3_600_000 },
    3_600_000,
  );
  await door.shut();
  await wait(500);
  expect(lease).not.toHaveBeenCalled();
  await door.reopen();
  await vi.waitFor(() => expect(lease).toHaveBeenCalled());
  lease.mockClear();
  await vi.waitFor(async () => {
    await pool().sql.notify("quiet", "");
    expect(lease).toHaveBeenCalled();
  });
  await loop.stop();
  await connection.close();
  await door.shut();
});

test("a loop is stalled 12 seconds after its last turn", async () => {
  const stuck = Promise.withResolvers<"none">();
  const lease = vi.fn(() => stuck.promise);
  const loop = aLoop({ lease });
  await loop.start();
  await vi.waitFor(() => expect(lease).toHaveBeenCalled());
  passSeconds(11.9);
  expect(loop.isStalled).toBe(false);
  passSeconds(12.1);
  expect(loop.isStalled).toBe(true);
  stuck.resolve("none");
  await waitForPendingWork(loop);
  await loop.stop();
});

test("a pump is stalled if a lease query never settles, but not while it waits for work", async () => {
  const options = pumpOptions({ carrier: aScriptedCarrier(acceptAll).carrier });
  const lease = vi.fn(() => new Promise<never>(() => {}));
  const [idle, stuck] = [
    new Pump(emailSource(options), options),
    new Pump({ ...emailSource(options), lease }, options),
  ];
  await Promise.all([idle.start(), stuck.start()]);
  await vi.waitFor(() => expect(lease).toHaveBeenCalled());
  expect(stuck.isStalled).toBe(false);

  passSeconds(12.1);
  await waitForPendingWork(idle);
  expect(stuck.isStalled).toBe(true);
  await Promise.all([idle.stop(), stuck.stop()]);
});

test("a webhook deliverer is stalled if a query never settles, but not while it waits for work", async () => {
  const { http, log } = { http: null as never, log: pumpOptions(null as never).log };
  const execute = vi.fn(() => new Promise<never>(() => {}));
  const hanging = { ...pool(), db: { execute } as never };
  const idle = new Deliverer({ connection: pool(), http, log });
  const stuck = new Deliverer({ connection: hanging, http, log });
  await Promise.all([idle.start(), stuck.start()]);
  await vi.waitFor(() => expect(execute).toHaveBeenCalled());

  passSeconds(12.1);
  await waitForPendingWork(idle);
  expect(stuck.isStalled).toBe(true);
  await Promise.all([idle.stop(), stuck.stop()]);
});

const outcomes = (count: number, from = 0): LeaseOutcome[] =>
  Array.from({ length: count }, (_, i) => ({
    rowId: String(from + i),
    emailId: "e",
    recipient: "r@a.test",
    attempt: 0,
    result: "delivered",
    dsn: "2.0.0",
    message: "250 OK",
    suppress: false,
  }));

function aWriter(write: (batch: LeaseOutcome[]) => Promise<void>) {
  const written: string[] = [];
  const onWritten = (batch: LeaseOutcome[]) => written.push(...batch.map(({ rowId }) => rowId));
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
