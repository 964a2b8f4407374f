import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

import { expect, test } from "vitest";

import type { Resolver } from "./dns.ts";
import { type ImapAccount, openImapSource, toSourceError } from "./imap-source.ts";

const ACCOUNT: ImapAccount = {
  host: "127.0.0.1",
  port: 993,
  security: "tls",
  account: "ann@example.com",
  secret: { kind: "password", value: "very secret" },
};

/** Every name is the loopback address. */
const resolver = {
  a: () => Promise.resolve({ kind: "found", records: ["127.0.0.1"] }),
  aaaa: () => Promise.resolve({ kind: "no_data" }),
} as unknown as Resolver;

const open = (account: Partial<ImapAccount>, { allowPrivate = false } = {}) =>
  openImapSource({ ...ACCOUNT, ...account }, { resolver, allowPrivate, literalBytesMax: 1_000 });

test.each(["127.0.0.1", "10.1.2.3", "::1", "imap.example.com"])(
  "doesn't connect to %s, which isn't public",
  async (host) => {
    for (const security of ["tls", "starttls"] as const)
      await expect(open({ host, security })).rejects.toMatchObject({
        kind: "refused",
        message: "The server's address isn't public",
      });
  },
);

test("sends no password to a server without STARTTLS", async () => {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("* OK [CAPABILITY IMAP4rev1] ready\r\n");
    socket.on("data", (data) => {
      received.push(data.toString());
      for (const line of data.toString().trim().split("\r\n"))
        socket.write(`${line.split(" ")[0]} OK done\r\n`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await expect(open({ port, security: "starttls" }, { allowPrivate: true })).rejects.toMatchObject({
    kind: "refused",
    message: "The server doesn't offer STARTTLS",
  });
  expect(received.join("")).not.toMatch(/secret|LOGIN|AUTHENTICATE/);
  server.close();
});

test.each([
  [{ authenticationFailed: true, response: "Invalid credentials" }, "rejected"],
  [{ authenticationFailed: true, response: "Wrong password, try again" }, "rejected"],
  [{ authenticationFailed: true, response: "Too many failed sign-ins" }, "rejected"],
  [
    {
      authenticationFailed: true,
      serverResponseCode: "AUTHENTICATIONFAILED",
      response: "Temporarily locked",
    },
    "rejected",
  ],
  [{ authenticationFailed: true, response: "[UNAVAILABLE] No backend" }, "throttled"],
  [
    { authenticationFailed: true, serverResponseCode: "LIMIT", response: "Connections" },
    "throttled",
  ],
  // Gmail, at sign-in and later.
  [
    {
      authenticationFailed: true,
      response: "[ALERT] Too many simultaneous connections. (Failure)",
    },
    "throttled",
  ],
  [
    {
      responseStatus: "NO",
      responseText: "[OVERQUOTA] Account exceeded command or bandwidth limits.",
    },
    "throttled",
  ],
  // Microsoft 365.
  [
    { authenticationFailed: true, response: "User is authenticated but not connected." },
    "throttled",
  ],
  [{ code: "ETHROTTLE", throttleReset: 92_415, responseText: "Request is throttled" }, "throttled"],
  [{ responseStatus: "NO", responseText: "Message can't be converted" }, "denied"],
  [{ code: "DEPTH_ZERO_SELF_SIGNED_CERT", tlsFailed: true }, "refused"],
  [{ code: "ENOTFOUND" }, "refused"],
  [{ code: "ECONNRESET" }, "unavailable"],
])("%j is %s", (told, kind) => {
  expect(toSourceError(Object.assign(new Error("Command failed"), told))).toMatchObject({ kind });
});

test("knows how long Microsoft 365 asks to wait, and never repeats the password", () => {
  const throttled = Object.assign(new Error(), {
    responseStatus: "BAD",
    responseText: "Request is throttled. Suggested Backoff Time: 92415 milliseconds",
  });
  expect(toSourceError(throttled).retryAfterMs).toBe(92_415);
  const echoed = Object.assign(new Error(), {
    authenticationFailed: true,
    response: "no such password:\r\n very secret",
  });
  const error = toSourceError(echoed, "very secret");
  expect(error.message).toBe("The server rejected the account or password: no such password: …");
  expect(error.cause).toBeUndefined();
});
