import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";

import { afterAll, beforeAll, expect, test } from "vitest";

import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { db } from "#server/db/pool.ts";
import { send } from "#server/testing/http-client.ts";
import { PLAIN_HTTP } from "#server/testing/plain-http.ts";
import { queuedEmails, aSender } from "#server/testing/queued-emails.ts";

import { front } from "./front.ts";
import { isAllowed } from "./monitoring.ts";

const TOKEN = "a-token-of-the-monitoring";

let server: Server;
beforeAll(async () => {
  const nothing = () => Promise.reject(new Error("not expected"));
  server = createServer(front(PLAIN_HTTP, { api: nothing, pages: nothing })).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  send((server.address() as AddressInfo).port, "GET", path, { headers });

/** The value of a time series in the text format. */
const valueOf = (text: string, series: string) => {
  const line = text.split("\n").find((line) => line.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

test("shows queues, processes, Postgres and what processes counted, under names that begin with posthouse_", async () => {
  const end = await registerProcess(db(), "worker", () => false);
  const before = await get("/healthz");
  expect(before.status).toBe(200);
  await queuedEmails(await aSender(), [["ann@gmail.com", "bob@there.test"], ["eve@gmail.com"]]);

  const { status, headers, text } = await get("/metrics");
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  const names = [...text.matchAll(/^# TYPE (\S+) (gauge|counter|histogram)$/gm)];
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter(([, name]) => !name!.startsWith("posthouse_"))).toEqual([]);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines.filter((line) => !/^posthouse_\w+(\{[^}]*\})? -?[0-9.e+-]+$/.test(line))).toEqual(
    [],
  );

  expect(valueOf(text, 'posthouse_queue_recipients{provider="google",state="due"}')).toBe(2);
  expect(valueOf(text, 'posthouse_queue_recipients{provider="other",state="due"}')).toBe(1);
  expect(valueOf(text, 'posthouse_component_up{component="worker"}')).toBe(1);
  expect(valueOf(text, 'posthouse_component_up{component="delivery"}')).toBe(0);
  expect(valueOf(text, 'posthouse_http_requests_total{part="health",status="2xx"}')).toBe(1);
  expect(valueOf(text, 'posthouse_process_starts_total{role="worker"}')).toBe(1);
  expect(valueOf(text, "posthouse_postgres_size_bytes")).toBeGreaterThan(1e6);
  expect(valueOf(text, `posthouse_disk_free_bytes{host="${hostname()}"}`)).toBeGreaterThan(0);
  // No Dovecot runs in this test.
  expect(valueOf(text, "posthouse_dovecot_up")).toBe(0);
  for (const collector of ["counted", "queue", "processes", "database", "host", "findings"])
    expect(valueOf(text, `posthouse_collector_up{collector="${collector}"}`)).toBe(1);
  await end();
});

test("is closed to requests that a proxy forwarded", async () => {
  for (const name of ["x-forwarded-for", "forwarded", "via", "x-real-ip"]) {
    const answer = await get("/metrics", { [name]: "127.0.0.1" });
    expect(answer, name).toMatchObject({ status: 401 });
    expect(answer.text).toContain("POSTHOUSE_METRICS_TOKEN");
  }
});

test("answers other paths and methods as before", async () => {
  expect((await get("/metrics?x=1")).status).toBe(200);
  const { port } = server.address() as AddressInfo;
  expect(await send(port, "POST", "/metrics")).toMatchObject({
    status: 405,
    headers: { allow: "GET, HEAD" },
  });
});

const from = (remoteAddress: string, authorization?: string) =>
  ({
    socket: { remoteAddress },
    headers: { authorization },
  }) as unknown as IncomingMessage;

test("requires the token from other machines", () => {
  expect(isAllowed(from("192.0.2.7"), null)).toBe(false);
  expect(isAllowed(from("192.0.2.7"), TOKEN)).toBe(false);
  expect(isAllowed(from("192.0.2.7", `Bearer ${TOKEN}`), TOKEN)).toBe(true);
  expect(isAllowed(from("192.0.2.7", `Bearer ${TOKEN}x`), TOKEN)).toBe(false);
  expect(isAllowed(from("192.0.2.7", "Bearer null"), null)).toBe(false);
  for (const loopback of ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"])
    expect(isAllowed(from(loopback), TOKEN)).toBe(true);
  // A wrong token is never ignored.
  expect(isAllowed(from("127.0.0.1", "Bearer wrong"), TOKEN)).toBe(false);
});

test("/readyz names the parts of this machine that do not respond", async () => {
  expect(await get("/readyz")).toMatchObject({
    status: 503,
    text: "worker does not respond\nmail does not respond\n",
  });
  const endWorker = await registerProcess(db(), "worker");
  const endMail = await registerProcess(db(), "mail", () => false);
  expect(await get("/readyz")).toMatchObject({ status: 503, text: "Dovecot does not respond\n" });
  await endMail();
  const endMailAgain = await registerProcess(db(), "mail", () => true);
  expect(await get("/readyz")).toMatchObject({ status: 200, text: "ok\n" });
  await Promise.all([endWorker(), endMailAgain()]);
  expect(await get("/healthz")).toMatchObject({ status: 200 });
});
