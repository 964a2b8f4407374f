import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, expect, test } from "vitest";

import { registerProcess } from "#server/core/platform/processes/register-process.ts";
import { db } from "#server/db/pool.ts";
import { send } from "#server/testing/http-client.ts";

import { answerHealth } from "./health.ts";

let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => void answerHealth(request, response)).listen(0);
  await once(server, "listening");
});
afterAll(() => void server.close());

const get = (path: string) => send((server.address() as AddressInfo).port, "GET", path);

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
