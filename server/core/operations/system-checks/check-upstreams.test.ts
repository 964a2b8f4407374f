import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, test } from "vitest";

import { checkUpstream } from "./check-upstreams.ts";

test("says whether webmail responds, whatever it answers without a user", async () => {
  let status = 401;
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/webmail/" ? status : 404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const check = () => checkUpstream("webmail", { host: "127.0.0.1", port });
  expect(await check()).toMatchObject({ state: "ok", found: `Responds at 127.0.0.1:${port}` });
  status = 503;
  expect(await check()).toMatchObject({
    state: "failed",
    found: `Webmail at 127.0.0.1:${port}: status 503`,
    advice: expect.stringContaining("POSTHOUSE_WEBMAIL") as string,
  });
  server.close();
  await once(server, "close");
  expect(await check()).toMatchObject({
    state: "failed",
    found: expect.stringContaining("ECONNREFUSED") as string,
  });
});

test("says that calendars are off, or that their socket is missing", async () => {
  expect(await checkUpstream("calendar", null)).toMatchObject({
    state: "ok",
    found: "Calendars: off",
  });
  expect(await checkUpstream("calendar", { socketPath: "/nowhere.sock" })).toMatchObject({
    state: "failed",
    found: "Calendars at /nowhere.sock: ENOENT",
  });
});
