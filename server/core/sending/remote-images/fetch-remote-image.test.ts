import { expect, test } from "vitest";

import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { fetchRemoteImage } from "./fetch-remote-image.ts";

type Answer = Awaited<ReturnType<OutgoingHttp["request"]>>;

function aClient(answer: Partial<Answer>) {
  const asked: string[] = [];
  const headers = { "content-type": "image/png; charset=binary" };
  return {
    asked,
    request({ url }: { url: string }) {
      asked.push(url);
      const body = Buffer.from("bytes");
      return Promise.resolve({ status: 200, headers, body, isCut: false, ...answer });
    },
  };
}

test("an image is fetched over HTTPS", async () => {
  const client = aClient({});
  expect(await fetchRemoteImage("http://images.test/a.png?b=1", client)).toEqual({
    type: "image/png",
    content: Buffer.from("bytes"),
  });
  expect(client.asked).toEqual(["https://images.test/a.png?b=1"]);
});

test.each<[string, Partial<Answer>]>([
  ["another status", { status: 302 }],
  ["another type", { headers: { "content-type": "text/html" } }],
  ["no type", { headers: {} }],
  ["too much", { isCut: true }],
])("%s is no image", async (_, answer) => {
  await expect(fetchRemoteImage("https://images.test/", aClient(answer))).rejects.toThrow(
    "no image",
  );
});

test("private addresses and other schemes are never called", async () => {
  for (const url of [
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://10.0.0.1/",
    "file:///etc",
    "x",
  ])
    await expect(fetchRemoteImage(url), url).rejects.toThrow("no image");
});
