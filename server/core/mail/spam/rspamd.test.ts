import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";

import { SpamScanner } from "./rspamd.ts";

let rspamd: FakeRspamd;
let now: number;
let scanner: SpamScanner;

const message = {
  content: Buffer.from("\r\nx\r\n"),
  sender: "",
  recipients: ["bob@corp.example"],
  helo: "x",
  clientAddress: "198.51.100.7",
  hostName: null,
};

const prepare = vi.fn(() => Promise.resolve(message));
const scan = () => scanner.scan(rspamd.url, prepare);

beforeEach(async () => {
  rspamd = await aRspamd();
  now = 0;
  scanner = new SpamScanner({ timeoutMs: 300, now: () => now });
});

afterEach(() => rspamd.stop());

test("skips scans for 30 seconds after three failures, then tries one message", async () => {
  rspamd.answer = "nothing";
  for (let i = 0; i < 5; i++) expect(await scan()).toBeNull();
  expect(rspamd.asked).toHaveLength(3);
  expect(prepare).toHaveBeenCalledTimes(3);

  now = 30_001;
  expect(await Promise.all([scan(), scan(), scan()])).toEqual([null, null, null]);
  expect(rspamd.asked).toHaveLength(4);

  now = 60_003;
  rspamd.answer = { score: 1 };
  expect(await scan()).toMatchObject({ score: 1 });
  expect(await scan()).toMatchObject({ score: 1 });
});

test("large messages that take too long don't count as failures", async () => {
  rspamd.answer = "nothing";
  prepare.mockResolvedValue({ ...message, content: Buffer.alloc(1024 * 1024 + 1, "x") });
  for (let i = 0; i < 3; i++) expect(await scan()).toBeNull();
  prepare.mockResolvedValue(message);
  rspamd.answer = { score: 2 };
  expect(await scan()).toMatchObject({ score: 2 });
});

test("rejecting one message doesn't count as a failure", async () => {
  rspamd.answer = 500;
  for (let i = 0; i < 5; i++) expect(await scan()).toBeNull();
  expect(rspamd.asked).toHaveLength(5);
});

test("a new URL resets the failures", async () => {
  rspamd.answer = "nothing";
  for (let i = 0; i < 4; i++) await scan();
  rspamd.answer = { score: 2 };
  expect(await scanner.scan(rspamd.controllerUrl, prepare)).toMatchObject({ score: 2 });
});
