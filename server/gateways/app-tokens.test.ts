import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";

import ipaddr from "ipaddr.js";
import { expect, onTestFinished, test } from "vitest";

import { type Behavior, anHttpsReceiver } from "#server/testing/https-receiver.ts";
import { CERTIFICATE } from "#server/testing/self-signed.ts";

import {
  APP_PROVIDERS,
  type AppProvider,
  fetchAppToken,
  readAppCredentials,
} from "./app-tokens.ts";
import type { Resolver } from "./dns.ts";
import { createOutgoingHttp } from "./outgoing-http.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const SERVICE_KEY = {
  type: "service_account",
  client_email: "mover@project.iam.gserviceaccount.example",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
};
const APP = {
  tenant_id: "northwind.onmicrosoft.example",
  client_id: "11111111-2222-4333-8444-555555555555",
  client_secret: "very secret",
};

/** A provider that gives an answer, and what it was asked. */
async function aProvider(provider: AppProvider, answer: object | string, behavior: Behavior = 200) {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  const receiver = await anHttpsReceiver([], { otherwise: behavior, answer: text });
  const { tokenUrl } = APP_PROVIDERS[provider];
  const path = new URL(tokenUrl.replaceAll(/[{}]/g, "")).pathname.replace("tenant", "{tenant}");
  APP_PROVIDERS[provider].tokenUrl = `https://localhost:${receiver.port}${path}`;
  const http = createOutgoingHttp({
    resolver: {} as Resolver,
    allowedPrivate: [ipaddr.parseCIDR("127.0.0.0/8")],
    ca: CERTIFICATE,
  });
  onTestFinished(async () => {
    APP_PROVIDERS[provider].tokenUrl = tokenUrl;
    await http.close();
    await receiver.close();
  });
  const credentials = JSON.stringify(provider === "google" ? SERVICE_KEY : APP);
  return {
    fetch: () => fetchAppToken(provider, { credentials, account: "ann@example.com" }, http),
    asked: () => {
      const [{ method, path, body }] = receiver.received as [(typeof receiver.received)[number]];
      return { method, path, form: Object.fromEntries(new URLSearchParams(body)) };
    },
  };
}

test("a service account asks Google for a token of the user", async () => {
  const { fetch, asked } = await aProvider("google", { access_token: "ya29.x", expires_in: 3599 });
  expect(await fetch()).toBe("ya29.x");
  const { method, path, form } = asked();
  expect([method, path, form.grant_type]).toEqual([
    "POST",
    "/token",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
  ]);
  const [head, claims, signature] = form.assertion!.split(".") as [string, string, string];
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as unknown;
  expect(read(head)).toEqual({ alg: "RS256", typ: "JWT" });
  expect(read(claims)).toMatchObject({
    iss: SERVICE_KEY.client_email,
    sub: "ann@example.com",
    scope: "https://mail.google.com/",
    aud: APP_PROVIDERS.google.tokenUrl,
  });
  const { iat, exp } = read(claims) as { iat: number; exp: number };
  expect([exp - iat, Math.abs(iat * 1_000 - Date.now()) < 60_000]).toEqual([3_600, true]);
  const key = createPublicKey(publicKey.export({ type: "spki", format: "pem" }));
  const signed = Buffer.from(`${head}.${claims}`);
  expect(verify("sha256", signed, key, Buffer.from(signature, "base64url"))).toBe(true);
});

test("an app asks Microsoft for a token of its own", async () => {
  const { fetch, asked } = await aProvider("microsoft", { access_token: "ey.x" });
  expect(await fetch()).toBe("ey.x");
  expect(asked()).toEqual({
    method: "POST",
    path: `/${APP.tenant_id}/oauth2/v2.0/token`,
    form: {
      client_id: APP.client_id,
      client_secret: APP.client_secret,
      grant_type: "client_credentials",
      scope: "https://outlook.office365.com/.default",
    },
  });
});

test.each<[string, Behavior, object | string, { kind: string; message: string }]>([
  [
    "a rejected app",
    401,
    { error: "unauthorized_client", error_description: "Client is unauthorized\r\nto do that." },
    { kind: "rejected", message: "Google rejected the app: Client is unauthorized to do that." },
  ],
  [
    "an unknown user",
    400,
    { error: "invalid_grant" },
    { kind: "rejected", message: "Google rejected the app: invalid_grant" },
  ],
  [
    "a rate limit",
    429,
    "slow down",
    { kind: "throttled", message: "Google is limiting requests for access tokens" },
  ],
  [
    "an outage",
    503,
    "<html>",
    { kind: "unavailable", message: "Google responded with status 503" },
  ],
  ["a redirect", 302, "", { kind: "unavailable", message: "Google responded with status 302" }],
  [
    "an answer without a token",
    200,
    { access_token: 7 },
    { kind: "unavailable", message: "Google responded with status 200" },
  ],
  [
    "no answer",
    "drop",
    "",
    { kind: "unavailable", message: "Google can't be reached (ECONNRESET)" },
  ],
])("explains %s", async (_, behavior, answer, problem) => {
  const { fetch } = await aProvider("google", answer, behavior);
  await expect(fetch()).rejects.toMatchObject(problem);
});

test("keeps only the fields that are needed to sign in", () => {
  const downloaded = JSON.stringify({ ...SERVICE_KEY, token_uri: "https://x.example" }, null, 2);
  expect(JSON.parse(readAppCredentials("google", downloaded))).toEqual(SERVICE_KEY);
  expect(JSON.parse(readAppCredentials("microsoft", JSON.stringify(APP)))).toEqual(APP);
});

const { privateKey: ecKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

test.each<[AppProvider, unknown]>([
  ["google", "not JSON"],
  ["google", { ...SERVICE_KEY, type: "authorized_user" }],
  ["google", { ...SERVICE_KEY, private_key: "-----BEGIN PRIVATE KEY-----" }],
  ["google", { ...SERVICE_KEY, private_key: ecKey.export({ type: "pkcs8", format: "pem" }) }],
  ["microsoft", { ...APP, tenant_id: "../common" }],
  ["microsoft", { ...APP, tenant_id: "a/b" }],
  ["microsoft", { ...APP, client_id: "app" }],
  ["microsoft", { ...APP, client_secret: "" }],
])("rejects credentials for %s: %j", (provider, given) => {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  expect(() => readAppCredentials(provider, text)).toThrow(APP_PROVIDERS[provider].expected);
});
