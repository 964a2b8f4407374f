import { once } from "node:events";
import { request } from "node:https";

import { expect, test } from "vitest";

import { anHttpsReceiver, type HttpsReceiver } from "./https-receiver.ts";

async function post(receiver: HttpsReceiver, body: string): Promise<number | undefined> {
  const call = request(receiver.url, { method: "POST", ca: receiver.certificate, agent: false });
  call.end(body);
  const [answer] = (await once(call, "response")) as [{ statusCode?: number; resume(): void }];
  answer.resume();
  return answer.statusCode;
}

test("stores requests unchanged and responds as scripted", async () => {
  const receiver = await anHttpsReceiver([503]);
  expect(await post(receiver, '{"näme": 1}')).toBe(503);
  expect(await post(receiver, "{}")).toBe(200);
  expect(receiver.received.map(({ method, body }) => [method, body])).toEqual([
    ["POST", '{"näme": 1}'],
    ["POST", "{}"],
  ]);
  await receiver.close();
});

test("drops the connection when scripted", async () => {
  const receiver = await anHttpsReceiver(["drop"]);
  await expect(post(receiver, "{}")).rejects.toThrow(/socket hang up/);
  expect(receiver.received).toHaveLength(1);
  await receiver.close();
});
