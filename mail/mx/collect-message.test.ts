import { Readable } from "node:stream";

import type { SMTPServerDataStream } from "smtp-server";
import { expect, test } from "vitest";

import { collectMessage } from "./collect-message.ts";
import { SharedMemory } from "#server/core/platform/limits/shared-memory.ts";

const streamOf = (pieces: number) =>
  Object.assign(Readable.from(Array.from({ length: pieces }, () => Buffer.from("x"))), {
    sizeExceeded: false,
  }) as unknown as SMTPServerDataStream;

const aRoom = (bytes: number, owner: string | null = null) => ({
  memory: new SharedMemory(bytes),
  owner,
});
const length = (message: Buffer) => Promise.resolve(message.length);

test("a message in many chunks uses no more memory than a large one, and frees it", async () => {
  const room = aRoom(64 * 1024 * 1024);
  await expect(collectMessage(streamOf(300_000), room, length)).rejects.toMatchObject({
    responseCode: 452,
  });
  expect(await collectMessage(streamOf(200_000), room, length)).toBe(200_000);
});

test("one network leaves three quarters of the memory to others, and frees what it used", async () => {
  const room = aRoom(4 * 257 * 100, "192.0.2.1");
  const other = { ...room, owner: "192.0.2.2" };
  await collectMessage(streamOf(100), room, async () => {
    await expect(collectMessage(streamOf(1), room, length)).rejects.toMatchObject({
      responseCode: 452,
    });
    expect(await collectMessage(streamOf(100), other, length)).toBe(100);
  });
  expect(await collectMessage(streamOf(100), room, length)).toBe(100);
});

test("networks shared by many senders may use all of it", async () => {
  const room = aRoom(257 * 100);
  expect(await collectMessage(streamOf(100), room, length)).toBe(100);
  await expect(collectMessage(streamOf(101), room, length)).rejects.toMatchObject({
    responseCode: 452,
  });
  expect(await collectMessage(streamOf(100), room, length)).toBe(100);
});
