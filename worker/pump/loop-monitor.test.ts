import { afterEach, expect, test, vi } from "vitest";

import { pool } from "#server/db/pool.ts";
import { acceptAll, aScriptedCarrier, pumpOptions } from "#server/testing/message-pump.ts";
import { Deliverer } from "#worker/webhooks/deliverer.ts";

import { emailSource } from "./email-source.ts";
import { LoopMonitor } from "./loop-monitor.ts";
import { Pump } from "./pump.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const realNow = performance.now.bind(performance);
const passSeconds = (seconds: number) =>
  vi.spyOn(performance, "now").mockImplementation(() => realNow() + seconds * 1_000);

const waitForPendingWork = ({ monitor }: { monitor: LoopMonitor }) =>
  vi.waitFor(() => expect(monitor.isStalled).toBe(false));

test("a loop is stalled 12 seconds after its last turn", () => {
  const monitor = new LoopMonitor();
  passSeconds(11.9);
  expect(monitor.isStalled).toBe(false);
  passSeconds(12.1);
  expect(monitor.isStalled).toBe(true);
  monitor.turn();
  expect(monitor.isStalled).toBe(false);
});

test("a pump is stalled while a lease query never settles, and not while it waits for work", async () => {
  const options = pumpOptions({ carrier: aScriptedCarrier(acceptAll).carrier });
  const lease = vi.fn(() => new Promise<never>(() => {}));
  const [idle, stuck] = [
    new Pump(emailSource(options), options),
    new Pump({ ...emailSource(options), lease }, options),
  ];
  await Promise.all([idle.start(), stuck.start()]);
  await vi.waitFor(() => expect(lease).toHaveBeenCalled());
  expect(stuck.monitor.isStalled).toBe(false);

  passSeconds(12.1);
  await waitForPendingWork(idle);
  expect(stuck.monitor.isStalled).toBe(true);
  await Promise.all([idle.stop(), stuck.stop()]);
});

test("a webhook deliverer is stalled while a query never settles, and not while it waits for work", async () => {
  const { http, log } = { http: null as never, log: pumpOptions(null as never).log };
  const execute = vi.fn(() => new Promise<never>(() => {}));
  const hanging = { ...pool(), db: { execute } as never };
  const idle = new Deliverer({ connection: pool(), http, log });
  const stuck = new Deliverer({ connection: hanging, http, log });
  await Promise.all([idle.start(), stuck.start()]);
  await vi.waitFor(() => expect(execute).toHaveBeenCalled());

  passSeconds(12.1);
  await waitForPendingWork(idle);
  expect(stuck.monitor.isStalled).toBe(true);
  await Promise.all([idle.stop(), stuck.stop()]);
});
