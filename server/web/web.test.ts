import { once } from "node:events";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { emails } from "#drizzle/schema/index.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { db } from "#server/db/pool.ts";
import { aDatabaseProxy } from "#server/testing/a-database-proxy.ts";
import { aCompany, anApiKey, aDomain } from "#server/testing/factories.ts";
import { exchange, openSocket, send } from "#server/testing/http-client.ts";
import { startWebProcess, type WebProcess } from "#server/testing/web-process.ts";

let web: WebProcess;
let door: Awaited<ReturnType<typeof aDatabaseProxy>>;
let companyId: string;
let authorization: string;
let email: Record<string, string>;

/** Includes time for a production build. */
const BUILD_TIMEOUT_MS = 400_000;

beforeAll(async () => {
  door = await aDatabaseProxy();
  companyId = (await aCompany()).id;
  const { name } = await aDomain(companyId);
  authorization = `Bearer ${(await anApiKey(companyId)).token}`;
  email = { from: `a@${name}`, to: "b@example.org", subject: "Hello", text: "Hi" };
  web = await startWebProcess({ env: { DATABASE_URL: door.url } });
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await web.stop();
  await door.shut();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  send(web.port, "GET", path, { headers: { authorization, ...headers } });
const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  send(web.port, "POST", path, {
    headers: { authorization, "content-type": "application/json", ...headers },
    body,
  });
const json = ({ text }: { text: string }) => JSON.parse(text) as Record<string, unknown>;
const stored = () => db().$count(emails, eq(emails.companyId, companyId));
const head = (path: string, more = "") =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n${more}`;

describe("the API over HTTP", () => {
  test("accepts an email and returns it", async () => {
    const sent = await post("/emails", JSON.stringify(email));
    expect(sent.status).toBe(200);
    const { id } = json(sent);

    expect(json(await get(`/emails/${id as string}`))).toMatchObject({ id, last_event: "sent" });
    expect(json(await get(`/emails/${id as string}/events`))).toMatchObject({
      data: [{ type: "email.sent" }],
    });
    expect(json(await get("/emails?limit=1"))).toMatchObject({ data: [{ id }] });
  });

  test("accepts paths with doubled and trailing slashes", async () => {
    expect((await post("//emails/", JSON.stringify(email))).status).toBe(200);
    expect((await get("//emails//?limit=1")).status).toBe(200);
  });

  test("sends headers that reveal nothing about the server and forbid caching and framing", async () => {
    const { headers } = await get("/emails");

    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    expect(headers["x-powered-by"]).toBeUndefined();
    expect(headers.server).toBeUndefined();
  });

  test("logs a request under the ID in the response, without its query or key", async () => {
    const { headers } = await get("/emails?limit=7");

    const line = await web.logged(({ requestId }) => requestId === headers["x-request-id"]);
    expect(line).toMatchObject({ method: "GET", path: "/emails", status: 200, companyId });
    expect(JSON.stringify(web.log)).not.toMatch(/limit=7|Bearer|ph_/);
  });

  test("answers HEAD like GET, without a body", async () => {
    expect(await send(web.port, "HEAD", "/emails", { headers: { authorization } })).toMatchObject({
      status: 200,
      text: "",
    });
    expect(await send(web.port, "HEAD", "/nothing")).toMatchObject({ status: 404, text: "" });
  });

  test.each(["/nothing", "/api/v1/emails", "/emails/a/b/c", "/emails/a/events/b", "/.env", "/%00"])(
    "answers GET %s with a JSON 404",
    async (path) => {
      const answer = await get(path);
      expect(json(answer)).toMatchObject({ statusCode: 404, name: "not_found" });
      expect(answer.status).toBe(404);
    },
  );

  test.each([
    ["DELETE", "/emails", "GET, POST"],
    ["PUT", "/emails", "GET, POST"],
    ["PATCH", "/", "GET"],
    ["POST", "/openapi.json", "GET"],
    ["OPTIONS", "/emails", "GET, POST"],
    ["PROPFIND", "/emails", "GET, POST"],
    ["TRACE", "/emails", "GET, POST"],
    ["POST", "/emails/a/events", "GET"],
  ])("answers %s %s with 405 and what it allows: %s", async (method, path, allow) => {
    const answer = await send(web.port, method, path);
    expect(json(answer)).toMatchObject({ statusCode: 405, name: "method_not_allowed" });
    expect(answer).toMatchObject({ status: 405, headers: { allow } });
  });

  test.each(["POST", "DELETE", "OPTIONS", "PROPFIND", "TRACE"])(
    "answers %s on an unknown path with 404",
    async (method) => {
      expect(await send(web.port, method, "/nothing")).toMatchObject({ status: 404 });
    },
  );

  test("closes on CONNECT", async () => {
    expect(await exchange(web.port, "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n")).toBe("");
  });

  test("describes the API to programs and sends browsers to the console", async () => {
    expect(json(await send(web.port, "GET", "/"))).toMatchObject({ name: "Posthouse" });
    const accept = "text/html,application/xhtml+xml";
    expect(await send(web.port, "GET", "/", { headers: { accept } })).toMatchObject({
      status: 302,
      headers: { location: "/console" },
    });
  });

  test.each([
    ["an encoded slash", "/emails/..%2f"],
    ["encoded dots", "/emails/%2e%2e/emails"],
    ["a NUL", "/emails/%00"],
    ["malformed percent-encoding", "/emails/%"],
    ["bytes that are not UTF-8", "/emails/%ff%fe"],
    ["a line break", "/emails/%0d%0aset-cookie:x"],
    ["a very long name", `/emails/${"x".repeat(8_000)}`],
  ])("answers a path with %s in JSON or plain text, and keeps running", async (_, path) => {
    const { status, headers, text } = await get(path);
    expect([200, 400, 404]).toContain(status);
    expect(text).not.toMatch(/<html|node_modules|\bat \//i);
    expect(headers["set-cookie"]).toBeUndefined();
    expect((await get("/emails?limit=1")).status).toBe(200);
  });

  test.each([
    ["rsc", { rsc: "1" }],
    ["a router state", { rsc: "1", "next-router-state-tree": "%5B%5D", "next-url": "/x" }],
    ["a prefetch", { "next-router-prefetch": "1", rsc: "1" }],
    ["an action", { "next-action": "x".repeat(40) }],
    ["a middleware header", { "x-middleware-subrequest": "middleware:middleware" }],
    ["a rewrite", { "x-middleware-rewrite": "/console", "x-invoke-path": "/console" }],
    ["another host", { host: "evil.example", "x-forwarded-host": "evil.example" }],
  ])("ignores %s, which only Next understands", async (_, headers) => {
    const read = await get("/emails?limit=1", headers);
    expect(read.status).toBe(200);
    expect(json(read)).toMatchObject({ object: "list" });
    expect(await post("/emails", JSON.stringify(email), headers)).toMatchObject({ status: 200 });
    expect(await send(web.port, "GET", "/emails", { headers })).toMatchObject({ status: 401 });
  });

  test("ignores a client's x-forwarded-for", async () => {
    const company = await aCompany({ allowedAddresses: ["192.0.2.1"] });
    const { token } = await anApiKey(company.id);
    const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": "192.0.2.1" };

    expect(await send(web.port, "GET", "/emails", { headers })).toMatchObject({
      status: 403,
      text: expect.stringContaining("127.0.0.1") as string,
    });
  });
});

describe("the console", () => {
  test.each(["/console/sign-in", "//console/sign-in/", "/console/emails/x"])(
    "has a page at %s",
    async (path) => {
      const { status, headers, text } = await send(web.port, "GET", path);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "content-type": expect.stringContaining("text/html") as string,
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
      });
      expect(text).toContain("<html");
    },
  );

  test("serves precompressed scripts that may be cached forever, under the policy of pages", async () => {
    const { text } = await send(web.port, "GET", "/console/sign-in");
    const [script] = /\/_next\/static\/[^"]+\.js/.exec(text)!;
    const headers = { "accept-encoding": "gzip, br" };
    const answer = await send(web.port, "GET", script, { headers });
    expect(answer.headers).toMatchObject({
      "content-encoding": "br",
      "content-type": "application/javascript; charset=UTF-8",
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": expect.stringContaining("script-src 'nonce-") as string,
      "x-content-type-options": "nosniff",
    });
  });

  test("has a not-found page for unknown paths", async () => {
    expect(await send(web.port, "GET", "/console/nothing")).toMatchObject({
      status: 404,
      text: expect.stringContaining("<html") as string,
    });
  });

  test.each([
    ["GET", "/console/api/sessions/getMe", 401, "not_signed_in"],
    ["GET", "/console/api/nothing", 404, "not_found"],
    ["GET", "/console/api", 404, "not_found"],
    ["PUT", "/console/api/emails/list", 405, "method_not_allowed"],
    ["POST", "/console/api/sessions/signIn", 403, "cross_origin"],
  ])("answers %s %s in JSON: %d %s", async (method, path, status, name) => {
    const body = JSON.stringify({ email: "ann@example.org", password: "x" });
    const answer = await send(web.port, method, path, method === "POST" ? { body } : {});
    expect(json(answer)).toMatchObject({ statusCode: status, name });
    expect(answer.status).toBe(status);
  });
});

describe("bodies", () => {
  test.each([
    ["malformed JSON", '{"from":'],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["100,000 nested lists", "[".repeat(100_000) + "]".repeat(100_000)],
    ["an escaped NUL", '{"from":"a\\u0000"}'],
    ["nothing", ""],
  ])("%s is validation_error", async (_, body) => {
    const before = await stored();
    const answer = await post("/emails", body);
    expect(json(answer)).toMatchObject({ statusCode: 422, name: "validation_error" });
    expect(await stored()).toBe(before);
  });

  test("the last of two equal names counts", async () => {
    const body = JSON.stringify(email).replace("{", '{"subject":"first",');
    const { id } = json(await post("/emails", body));
    expect(json(await get(`/emails/${id as string}`))).toMatchObject({ subject: "Hello" });
  });

  test("a body of 25 MB arrives whole, with unknown fields", async () => {
    const body = JSON.stringify({ ...email, padding: "x".repeat(25_000_000) });
    expect(await post("/emails", body)).toMatchObject({ status: 200 });
  });

  test("over 30 MB is a bare 413, with Content-Length or chunked, and nothing is stored", async () => {
    const before = await stored();
    const chunk = `100000\r\n${"x".repeat(0x100000)}\r\n`;

    const announced = await exchange(
      web.port,
      head("/emails", "Content-Length: 31457281\r\n\r\n"),
      "{",
    );
    const chunked = await exchange(
      web.port,
      head("/emails", "Transfer-Encoding: chunked\r\n\r\n"),
      ...Array.from({ length: 32 }, () => chunk),
    );

    for (const answer of [announced, chunked]) {
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer.split("\r\n\r\n")[1]).toMatch(/^(0|)$/);
    }
    expect(await stored()).toBe(before);
    expect((await get("/emails?limit=1")).status).toBe(200);
  });

  test("an unread body leaves the connection usable for the next request", async () => {
    const length = 2 * 1024 * 1024;
    const answers = await exchange(
      web.port,
      `POST /emails HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`,
      Buffer.alloc(length, "x"),
      head("/emails", "Content-Length: 2\r\nConnection: close\r\n\r\n{}"),
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 422"]);
  });

  test("a client that disconnects in the middle of a body leaves nothing", async () => {
    const before = await stored();
    const body = JSON.stringify(email);
    const socket = await openSocket(web.port);
    socket.write(head("/emails", `Content-Length: ${body.length + 1}\r\n\r\n${body}`));
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();

    expect((await get("/emails?limit=1")).status).toBe(200);
    expect(await stored()).toBe(before);
  });
});

describe("without the database", () => {
  test("answers 500 application_error and isn't ready until it is back", async () => {
    const ends = [
      await registerProcess(db(), "worker"),
      await registerProcess(db(), "mail", () => true),
    ];
    expect(await get("/readyz")).toMatchObject({ status: 200 });
    await door.shut();

    const refused = await post("/emails", JSON.stringify(email));
    expect(refused.status).toBe(500);
    expect(json(refused)).toEqual({
      statusCode: 500,
      name: "application_error",
      message: "Internal error. Retry, and contact the operator with the request ID if it persists",
    });
    expect(await get("/readyz")).toMatchObject({ status: 503 });
    expect(await get("/healthz")).toMatchObject({ status: 200 });
    // Failed attempts must not delay the recovery.
    for (let i = 0; i < 20; i++) expect((await get("/emails")).status).toBe(500);
    expect(
      await web.logged(({ requestId }) => requestId === refused.headers["x-request-id"]),
    ).toMatchObject({ level: 50, status: 500, err: { stack: expect.any(String) as string } });

    await door.reopen();
    await expect.poll(() => get("/readyz")).toMatchObject({ status: 200 });
    expect(await post("/emails", JSON.stringify(email))).toMatchObject({ status: 200 });
    for (const end of ends) await end();
  });
});

test("on SIGTERM, a request in progress is answered and then the process exits", async () => {
  const body = JSON.stringify(email);
  const socket = await openSocket(web.port);
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  socket.write(head("/emails", `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`));
  await get("/emails?limit=1");
  const [exited, closed] = [once(web.child, "exit"), once(socket, "close")];

  web.child.kill("SIGTERM");
  await web.logged(({ msg }) => msg === "stopping");
  socket.write(body.slice(9));
  await closed;

  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(await exited).toEqual([0, null]);
});
