import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { pino } from "pino";
import { expect, test, vi } from "vitest";

import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import {
  countLearned,
  learnMessage,
  pingRspamd,
  privateRspamdUrl,
  scanMessage,
} from "#server/gateways/rspamd.ts";
import { ALLOCATOR_ENV } from "#server/processes/node-process.ts";

import { runRspamd } from "./run-rspamd.ts";

const SPAM = "casino lottery winner pills discount".split(" ");
const HAM = "meeting invoice schedule deploy review".split(" ");

/** Sixty words of the kind's vocabulary, in an order unique to this message. */
const aMessage = (words: string[], number: number) => {
  const body = Array.from({ length: 60 }, (_, i) => words[(i * i + number * (i % 7)) % 5]);
  const head = `From: a@ex${number}.test\r\nMessage-ID: <${words[0]}${number}@ex.test>\r\nSubject: ${number}`;
  return Buffer.from(`${head}\r\n\r\n${body.join(" ")} ${number}\r\n`);
};

test("a private rspamd scans, learns without Redis, and stops when switched off", async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "posthouse-rspamd-"));
  await chmod(dataFolder, 0o755);
  const url = privateRspamdUrl(join(dataFolder, "rspamd/run"));
  // As in the mail process. rspamd 3.4 crashes with it.
  for (const [name, value] of Object.entries(ALLOCATOR_ENV)) vi.stubEnv(name, value);
  await changeSetting(db(), "rspamd_url", "own");
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => void lines.push(line) });
  // Nothing listens there, so tests never query name servers on the Internet.
  const dnsServers = [{ address: "127.0.0.1", port: 9 }];
  const stop = runRspamd(db(), { dataFolder, dnsServers }, { log, lookEveryMs: 100 });
  try {
    await vi.waitFor(
      async () => {
        expect(lines.join()).not.toContain("failed to start");
        expect(await pingRspamd(url)).toMatch(/^3\./);
      },
      { timeout: 110_000, interval: 500 },
    );
    const envelope = {
      sender: "a@ex.test",
      recipients: ["bob@corp.test"],
      helo: "ex.test",
      clientAddress: "127.0.0.1",
      hostName: null,
    };
    expect(await learnMessage(url, "spam", aMessage(SPAM, 0))).toBe("learned");
    expect(await learnMessage(url, "spam", aMessage(SPAM, 0))).toBe("known");
    for (let i = 1; i < 50; i++) await learnMessage(url, "spam", aMessage(SPAM, i));
    for (let i = 0; i < 50; i++) await learnMessage(url, "ham", aMessage(HAM, i));
    expect(await countLearned(url)).toEqual({ spam: 50, ham: 50 });
    await vi.waitFor(async () => {
      const { symbols, score } = await scanMessage(url, {
        ...envelope,
        content: aMessage(SPAM, 999),
      });
      expect(symbols.map(({ name }) => name)).toContain("BAYES_SPAM");
      expect(score).toBeGreaterThan(2);
    });

    await changeSetting(db(), "rspamd_url", "off");
    await vi.waitFor(() => expect(pingRspamd(url)).rejects.toThrow());
  } finally {
    vi.unstubAllEnvs();
    await stop();
    await rm(dataFolder, { recursive: true });
  }
}, 180_000);
