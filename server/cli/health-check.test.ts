import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { expect, test } from "vitest";

const COMMAND = join(import.meta.dirname, "health-check.ts");

test.each(["127.0.0.2", "::1"])("queries the web process at its bind address %s", async (bind) => {
  const web = createServer((_, answer) => answer.end("ok")).listen(0, bind);
  await once(web, "listening");
  const { port } = web.address() as AddressInfo;
  const check = spawn(process.execPath, [COMMAND], {
    env: { ...process.env, POSTHOUSE_BIND: bind, PORT: String(port), POSTHOUSE_ROLES: "" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect((await once(check, "exit"))[0]).toBe(0);
  web.close();
});
