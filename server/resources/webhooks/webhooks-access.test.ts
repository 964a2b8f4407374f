import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { webhooks } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import {
  anEventOf,
  aSession,
  aWebhookOwner,
  callFromPage,
} from "#server/testing/console-webhooks.ts";
import { aWebhook } from "#server/testing/factories.ts";

import { webhookEventsConsole } from "./console-events.ts";
import { webhooksConsole } from "./console.ts";

const BODY = { endpoint: "https://hooks.example.net/posthouse", events: ["email.sent"] };

const ofWebhooks: [AnyEndpoint, body?: unknown][] = [
  [webhooksConsole.get],
  [webhooksConsole.update, BODY],
  [webhooksConsole.delete],
  [webhooksConsole.getSigningSecret],
  [webhooksConsole.rotateSigningSecret],
  [webhooksConsole.sendTestEvent],
  [webhookEventsConsole.listEvents],
  [webhookEventsConsole.countFailed],
  [webhookEventsConsole.replayFailed],
];
const ofEvents: [AnyEndpoint, body?: unknown][] = [
  [webhookEventsConsole.getEvent],
  [webhookEventsConsole.listAttempts],
  [webhookEventsConsole.replayEvent],
];
const all: [AnyEndpoint, body?: unknown][] = [
  [webhooksConsole.list],
  [webhooksConsole.create, BODY],
  ...ofWebhooks,
  ...ofEvents,
];
const named = (endpoints: typeof all) =>
  endpoints.map(
    ([endpoint, body]) => [`${endpoint.method} ${endpoint.path}`, endpoint, body] as const,
  );

test.each(named(all))("%s: returns 401 without a session", async (_, endpoint, body) => {
  const params = { id: randomUUID(), eventId: "msg_1" };
  expect(await callFromPage(endpoint, { params, body })).toMatchObject({
    status: 401,
    body: { name: "not_signed_in" },
  });
});

test.each(named(all))("%s: returns 403 without api_controls", async (_, endpoint, body) => {
  const { companyId, webhook } = await aWebhookOwner();
  const params = { id: webhook.id, eventId: (await anEventOf(webhook)).shownId };
  const cookie = await aSession(companyId, ["domains", "manage_settings"]);
  expect(await callFromPage(endpoint, { cookie, params, body })).toMatchObject({
    status: 403,
    body: { name: "invalid_permission" },
  });
});

test.each(named([...ofWebhooks, ...ofEvents]))(
  "%s: another company's webhook does not exist here",
  async (_, endpoint, body) => {
    const { webhook } = await aWebhookOwner();
    const params = { id: webhook.id, eventId: (await anEventOf(webhook)).shownId };
    const { cookie } = await aWebhookOwner();
    expect(await callFromPage(endpoint, { cookie, params, body })).toMatchObject({
      status: 404,
      body: { name: "not_found", message: "Webhook not found" },
    });
    expect(await db().$count(webhooks, eq(webhooks.id, webhook.id))).toBe(1);
  },
);

test.each(named(ofEvents))(
  "%s: returns 404 for an event of another webhook",
  async (_, endpoint, body) => {
    const { companyId, cookie, params } = await aWebhookOwner();
    const { shownId } = await anEventOf(await aWebhook(companyId));
    const path = { ...params, eventId: shownId };
    expect(await callFromPage(endpoint, { cookie, params: path, body })).toMatchObject({
      status: 404,
      body: { message: "Webhook event not found" },
    });
  },
);

test("lists only the company's webhooks", async () => {
  const { webhook } = await aWebhookOwner();
  const { cookie, webhook: own } = await aWebhookOwner();
  const { body } = await callFromPage(webhooksConsole.list, { cookie });
  expect((body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([own.id]);
  const query = { after: webhook.id };
  expect((await callFromPage(webhooksConsole.list, { cookie, query })).status).toBe(422);
});
