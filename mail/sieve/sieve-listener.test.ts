import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

import { pino } from "pino";
import { afterAll, beforeAll, expect } from "vitest";

import { db } from "#server/db/pool.ts";
import { serviceUser } from "#server/processes/service-user.ts";
import { testIf } from "#server/testing/test-if.ts";

import { type SieveListener, startSieveListener } from "./sieve-listener.ts";

let listener: SieveListener;
beforeAll(async () => {
  listener = await startSieveListener({ db: db(), log: pino({ level: "silent" }) });
});
afterAll(() => listener.stop());

/** The listener's reply to a program of another user of this machine. */
async function greeting(uid: number): Promise<string> {
  const script = `
    process.setgid(${uid}); process.setuid(${uid});
    const socket = require("node:net").connect(${listener.port}, "127.0.0.1");
    socket.once("data", (line) => socket.end("QUIT\\r\\n") && process.stdout.write(line));`;
  const program = spawn(process.execPath, ["-e", script]);
  return text(program.stdout);
}

testIf(process.getuid!() === 0, "needs root to become other users")(
  "only programs of Dovecot's user may send: no other user of the machine, and not root",
  async () => {
    const { uid } = await serviceUser();
    expect(await greeting(uid)).toMatch(/^220 /);
    expect(await greeting(65_534)).toMatch(/^554 5\.7\.1/);
    expect(await greeting(0)).toMatch(/^554 5\.7\.1/);
  },
);
