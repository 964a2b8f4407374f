import { randomUUID } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

import ipaddr from "ipaddr.js";
import { afterEach, expect, onTestFinished, test } from "vitest";

import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { APP_PROVIDERS } from "#server/gateways/app-tokens.ts";
import { anHttpsReceiver } from "#server/testing/https-receiver.ts";
import { aFakeImapServer, flood } from "#server/testing/a-fake-imap-server.ts";

import { checkSource } from "./import-source.ts";

let server: Awaited<ReturnType<typeof aFakeImapServer>>;

afterEach(() => server.stop());

type Responses = Parameters<typeof aFakeImapServer>[0];

/** A server, and a function that checks an account on it. */
async function aSource(
  responses: Responses,
  {
    timeoutMs = 20_000,
    secret = { kind: "password", value: "very secret" },
  }: { timeoutMs?: number; secret?: Parameters<typeof checkSource>[1]["secret"] } = {},
) {
  server = await aFakeImapServer(responses);
  return (companyId = "01a21b17-6a81-71cc-97c2-76b0fa763bdd") =>
    checkSource(
      { db: db(), companyId },
      {
        host: "127.0.0.1",
        port: server.port,
        security: "none",
        account: "ann",
        secret,
      },
      { timeoutMs },
    );
}

test("rejects credentials that aren't those of an app", async () => {
  const check = await aSource({}, { secret: { kind: "microsoft", value: "{}" } });
  await expect(check()).rejects.toMatchObject({ fields: [{ path: "secret" }] });
});

test("signs in as the user with a token for the app", async () => {
  const tokens = await anHttpsReceiver([], { answer: JSON.stringify({ access_token: "t0ken" }) });
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, tokens.certificate]);
  const { privateWebhooks } = config();
  config().privateWebhooks = [ipaddr.parseCIDR("127.0.0.0/8")];
  const { tokenUrl } = APP_PROVIDERS.microsoft;
  APP_PROVIDERS.microsoft.tokenUrl = tokens.url;
  onTestFinished(async () => {
    APP_PROVIDERS.microsoft.tokenUrl = tokenUrl;
    config().privateWebhooks = privateWebhooks;
    setDefaultCACertificates(trusted);
    await tokens.close();
  });
  const app = { tenant_id: "t.example", client_id: randomUUID(), client_secret: "very secret" };
  const value = JSON.stringify(app);
  const signIns: string[] = [];
  const responses: Responses = {
    AUTHENTICATE: (socket, tag, [, given = ""]) => {
      signIns.push(Buffer.from(given, "base64").toString());
      socket.write(
        signIns.length === 1 ? `${tag} OK done\r\n` : `${tag} NO [AUTHENTICATIONFAILED] no\r\n`,
      );
    },
    LIST: (socket, tag) => socket.write(`${entry("INBOX")}${tag} OK done\r\n`),
  };
  const check = await aSource(responses, { secret: { kind: "microsoft", value } });
  expect(await check()).toMatchObject([{ source: "INBOX", messages: 1 }]);
  expect(signIns).toEqual(["user=ann\x01auth=Bearer t0ken\x01\x01"]);
  await expect(check()).rejects.toMatchObject({
    message: expect.stringMatching(/^The app can't open ann\. .*Add-MailboxPermission/) as string,
    fields: [{ path: "secret" }],
  });
});

const entry = (name: string) => `* LIST () "/" "${name}"\r\n* STATUS "${name}" (MESSAGES 1)\r\n`;

test("lists the folders of an account", async () => {
  const check = await aSource({
    LIST: (socket, tag) => socket.write(`${entry("INBOX")}${entry("Work")}${tag} OK done\r\n`),
  });
  expect((await check()).map(({ source, messages }) => [source, messages])).toEqual([
    ["INBOX", 1],
    ["Work", 1],
  ]);
});

test.each<[string, Responses, RegExp]>([
  [
    "a folder list without end",
    { LIST: (socket) => flood(socket, entry("a").repeat(1_000)) },
    /too much data/,
  ],
  [
    "a sign-in without end",
    { LOGIN: (socket) => flood(socket, "* OK wait\r\n".repeat(1_000)) },
    /too much data/,
  ],
  ["a line without end", { LIST: (socket) => flood(socket, "* LIST ".padEnd(10_000, "a")) }, /./],
  [
    "more folders than allowed",
    {
      LIST: (socket, tag) => {
        const entries = Array.from({ length: 10_001 }, (_, at) => entry(`f${at}`));
        socket.write(`${entries.join("")}${tag} OK done\r\n`);
      },
    },
    /more than 10000 folders/,
  ],
])("rejects %s", async (_, responses, message) => {
  const check = await aSource(responses);
  await expect(check()).rejects.toMatchObject({
    reason: "invalid",
    message: expect.stringMatching(message) as string,
    fields: [{ path: "host" }],
  });
});

test.each(["LOGIN", "LIST"])("ends when the server stops responding to %s", async (command) => {
  const check = await aSource({ [command]: () => {} }, { timeoutMs: 500 });
  await expect(check()).rejects.toMatchObject({
    reason: "invalid",
    message: "The server didn't respond in time",
  });
});

test("runs two checks of a company at once", async () => {
  const check = await aSource({ LIST: () => {} }, { timeoutMs: 1_000 });
  const running = [check(), check()];
  await expect(check()).rejects.toMatchObject({ reason: "rate_limit_exceeded" });
  const another = check("01a21b17-6a81-71cc-97c2-76b0fa763bde");
  for (const ended of [...running, another])
    await expect(ended).rejects.toMatchObject({ reason: "invalid" });
  await expect(check()).rejects.toMatchObject({ reason: "invalid" });
});
