import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { PLAIN_HTTP } from "#server/testing/plain-http.ts";

import type { Exchange } from "./exchange.ts";
import { front } from "./front.ts";

/** Pages that return what they received. */
const destinations = {
  api: async () => {},
  pages: ({ request, response }: Exchange) => {
    response.end(JSON.stringify(request.headers));
    return Promise.resolve();
  },
};

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(front(PLAIN_HTTP, destinations));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

describe.each(["/console/emails", "/console/sign-in", "/account/overview"])("%s", (path) => {
  test("has a policy with a nonce for each request, which the page receives", async () => {
    const given = { "x-nonce": "mine", "content-security-policy": "script-src 'nonce-mine'" };
    const answers = await Promise.all([fetch(url + path, { headers: given }), fetch(url + path)]);
    const nonces = answers.map(
      ({ headers }) =>
        /script-src 'nonce-([\w-]{24})' 'strict-dynamic';/.exec(
          headers.get("content-security-policy")!,
        )![1],
    );
    expect(nonces[0]).not.toBe(nonces[1]);
    const [answer] = answers;
    expect(await answer.json()).toMatchObject({
      "x-nonce": nonces[0],
      "content-security-policy": answer.headers.get("content-security-policy"),
    });
  });

  test("runs, loads and submits only to this server, and can't be framed", async () => {
    const { headers } = await fetch(url + path);
    const policy = headers.get("content-security-policy")!;
    for (const directive of [
      "default-src 'none'",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy.split("; ")).toContain(directive);
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|\*/);
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("permissions-policy")).toContain("camera=()");
  });
});

describe("the frame of an email", () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${url}/console/email-frame`, { method: "POST", headers, body: "<p>Hello" });
  const own = { "sec-fetch-site": "same-origin" };

  test("shows what a console page posts, without scripts or content from other servers", async () => {
    const answer = await post(own);
    expect(await answer.text()).toBe("<p>Hello");
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toMatch(/(^|; )sandbox$/);
    expect(policy).toMatch(/default-src 'none'; style-src 'unsafe-inline'; img-src data:;/);
    expect(answer.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  test("rejects posts from other sites", async () => {
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    const answer = await post(foreign);
    expect([answer.status, await answer.text()]).toEqual([403, ""]);
    expect((await fetch(`${url}/console/email-frame`)).status).toBe(405);
  });
});
