import { Resend } from "resend";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect, test } from "vitest";

import { newSigningSecret } from "#server/core/webhooks/endpoints/webhooks.ts";

import { signedHeaders } from "./signed-headers.ts";

const eventId = "0198c1a2-7e55-7d3a-9c41-3f6a1f0b2c4d";
const body = '{"type": "email.sent",  "data":{"subject":"Grüße an Åse 🐣 \\u00e9"}}';
const secret = newSigningSecret();

test("has exactly the documented headers, each of the three values with both prefixes", () => {
  const headers = signedHeaders({ eventId, body, secret }, new Date("2026-11-21T10:00:00.900Z"));
  const id = "msg_0198c1a27e557d3a9c413f6a1f0b2c4d";
  const signature = expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/) as string;
  expect(headers).toEqual({
    "content-type": "application/json",
    "user-agent": "Posthouse-Webhooks/1.0",
    "webhook-id": id,
    "webhook-timestamp": "1795255200",
    "webhook-signature": signature,
    "svix-id": id,
    "svix-timestamp": "1795255200",
    "svix-signature": signature,
  });
});

test("verifies with standardwebhooks, svix and resend, and fails with a changed body", () => {
  const headers = signedHeaders({ eventId, body, secret });
  const verify = [
    (payload: string) => new StandardWebhook(secret).verify(payload, headers),
    (payload: string) => new SvixWebhook(secret).verify(payload, headers),
    (payload: string) =>
      new Resend("re_none").webhooks.verify({
        payload,
        webhookSecret: secret,
        headers: {
          id: headers["svix-id"]!,
          timestamp: headers["svix-timestamp"]!,
          signature: headers["svix-signature"]!,
        },
      }),
  ];
  for (const verified of verify) {
    expect(() => verified(body)).not.toThrow();
    expect(() => verified(body.replace("Åse", "Ase"))).toThrow();
  }
});

test("does not verify with another secret, or an hour later", () => {
  const headers = signedHeaders({ eventId, body, secret });
  expect(() => new StandardWebhook(newSigningSecret()).verify(body, headers)).toThrow();
  const old = signedHeaders({ eventId, body, secret }, new Date(Date.now() - 3_600_000));
  expect(() => new StandardWebhook(secret).verify(body, old)).toThrow();
});
