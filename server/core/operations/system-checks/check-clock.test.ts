import { createSocket } from "node:dgram";
import { once } from "node:events";

import { expect, test } from "vitest";

import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer } from "#server/testing/fake-dns.ts";

import { checkClock } from "./check-clock.ts";

const SECONDS_1900_TO_1970 = 2_208_988_800;

/** A time server that is ahead of this machine, or answers something else. */
async function aTimeServer(aheadMs: number, spoil: (answer: Buffer) => void = () => {}) {
  const socket = createSocket("udp4");
  socket.on("message", (question, { port }) => {
    const answer = Buffer.alloc(48);
    answer[0] = 0b00_100_100;
    answer[1] = 2;
    question.copy(answer, 24, 40, 48);
    for (const place of [32, 40]) {
      const seconds = (Date.now() + aheadMs) / 1000 + SECONDS_1900_TO_1970;
      answer.writeUInt32BE(Math.floor(seconds), place);
      answer.writeUInt32BE(Math.floor((seconds % 1) * 2 ** 32), place + 4);
    }
    spoil(answer);
    socket.send(answer, port);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

async function look(aheadMs: number, spoil?: (answer: Buffer) => void) {
  const [socket, names] = await Promise.all([
    aTimeServer(aheadMs, spoil),
    aDnsServer({ "pool.ntp.org": { A: ["127.0.0.1"] } }),
  ]);
  try {
    const { port } = socket.address();
    return await checkClock(db(), createResolver({ dnsServers: [names] }), { port });
  } finally {
    socket.close();
    await names.close();
  }
}

test.each([
  [0, "ok", /^The clock is within \d+ ms of/],
  [8_000, "warning", /^The clock is 8 s behind/],
  [-8_000, "warning", /^The clock is 8 s ahead of/],
  [600_000, "failed", /^The clock is 10 min behind/],
])("reports a time server that is ahead by %i ms: %s", async (aheadMs, state, found) => {
  const finding = await look(aheadMs);
  expect(finding.state).toBe(state);
  expect(finding.found).toMatch(found);
});

test.each<[string, (answer: Buffer) => void]>([
  ["to another question", (answer) => answer.fill(7, 24, 32)],
  ["of a server that does not know the time", (answer) => (answer[1] = 0)],
  ["that is none", (answer) => (answer[0] = 0b00_100_011)],
])("ignores a response %s", async (_, spoil) => {
  expect(await look(600_000, spoil)).toMatchObject({
    state: "unknown",
    found: expect.stringContaining("No time server responded") as string,
  });
});
