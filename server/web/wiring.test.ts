import { once } from "node:events";
import { connect } from "node:net";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { processes, requestLog } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";
import { openSocket, send } from "#server/testing/http-client.ts";
import { startWebProcess, type WebProcess } from "#server/testing/web-process.ts";

// Runs the real web process in production mode, to test how main.ts and start-web.ts wire parts that have
// their own tests.
vi.setConfig({ hookTimeout: 400_000 });

let web: WebProcess;
const start = async () => {
  web = await startWebProcess({ env: { POSTHOUSE_BIND: "127.0.0.1" } });
};
beforeAll(start);
afterAll(() => web.stop());

const heartbeats = () => db().$count(processes, eq(processes.role, "web"));

/** Sends SIGTERM and returns how long the process takes to exit, in milliseconds. */
async function stopped(): Promise<number> {
  const exited = once(web.child, "exit");
  const since = performance.now();
  web.child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
  return performance.now() - since;
}

test("listens on POSTHOUSE_BIND only", async () => {
  expect((await send(web.port, "GET", "/healthz")).status).toBe(200);
  await expect(once(connect(web.port, "127.0.0.2"), "connect")).rejects.toThrow("ECONNREFUSED");
});

test("Next.js image optimization is off", async () => {
  const { status } = await send(web.port, "GET", "/_next/image?url=icon.png&w=64&q=75");
  expect(status).toBe(404);
});

test("a process that can't listen isn't listed as killed", async () => {
  const env = { HTTP_PORT: String(web.port), POSTHOUSE_BIND: "127.0.0.1" };
  await expect(startWebProcess({ env })).rejects.toThrow("did not start");
  expect(await heartbeats()).toBe(1);
});

test("sends heartbeats while it runs, and writes the request log before it exits", async () => {
  expect(await heartbeats()).toBe(1);
  const { id: companyId } = await aCompany();
  const { token } = await anApiKey(companyId);
  const headers = { authorization: `Bearer ${token}` };
  expect((await send(web.port, "GET", "/emails", { headers })).status).toBe(200);
  await stopped();

  expect(await db().$count(requestLog, eq(requestLog.companyId, companyId))).toBe(1);
  expect(await heartbeats()).toBe(0);
});

test("exits at once with idle connections, and after five seconds with an unfinished request", async () => {
  await web.stop();
  await start();
  const idle = await openSocket(web.port);
  idle.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(idle, "data");
  const unfinished = await openSocket(web.port);
  unfinished.write("POST /emails HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{");
  // By the time this is answered, the unfinished request has arrived as well.
  await send(web.port, "GET", "/healthz");
  const closed = once(idle, "close");
  const idleClosedAt = closed.then(() => performance.now());
  const since = performance.now();
  const ms = await stopped();
  expect(ms - ((await idleClosedAt) - since)).toBeGreaterThan(1_000);
  expect(ms).toBeGreaterThan(4_500);
  expect(ms).toBeLessThan(30_000);
});
