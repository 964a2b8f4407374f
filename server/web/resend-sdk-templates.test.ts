import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { Resend } from "resend";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { withoutRates } from "#server/testing/api-sender.ts";
import { aCompany, aDomain, anApiKey } from "#server/testing/factories.ts";
import { PLAIN_HTTP } from "#server/testing/plain-http.ts";

import { answerApi } from "./answer-api.ts";
import { createWebServer } from "./create-web-server.ts";

// The SDK's template methods against the web server's front and the API behind it.

let server: Server;
let posthouse: Resend;
let from: string;

beforeAll(async () => {
  await withoutRates();
  const pages = () => Promise.reject(new Error("no page is asked for"));
  server = createWebServer(PLAIN_HTTP, { api: answerApi, pages });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
});

beforeEach(async () => {
  const { id } = await aCompany();
  from = `Ann <ann@${(await aDomain(id)).name}>`;
  const { token } = await anApiKey(id);
  const { port } = server.address() as AddressInfo;
  posthouse = new Resend(token, { baseUrl: `http://127.0.0.1:${port}` });
});

/** Returns the data of an SDK response; throws on an error. */
function dataOf<T>({ data, error }: { data: T | null; error: unknown }): T {
  expect(error).toBeNull();
  return data!;
}

const order = {
  name: "order",
  alias: "order",
  subject: "Order {{{ORDER}}}",
  html: "<p>{{{PRODUCT}}}</p>",
  variables: [
    { key: "PRODUCT", type: "string" as const, fallbackValue: "item" },
    { key: "ORDER", type: "number" as const },
  ],
};
const create = () => posthouse.templates.create({ ...order, replyTo: "desk@shop.example" });

test("create, get, update and remove", async () => {
  const { id } = dataOf(await create());
  expect(dataOf(await posthouse.templates.get("order"))).toMatchObject({
    object: "template",
    id,
    name: "order",
    alias: "order",
    status: "draft",
    subject: order.subject,
    html: order.html,
    text: null,
    from: null,
    reply_to: ["desk@shop.example"],
    published_at: null,
    has_unpublished_versions: true,
    variables: [
      { key: "PRODUCT", type: "string", fallback_value: "item" },
      { key: "ORDER", type: "number", fallback_value: null },
    ],
  });
  const changed = { object: "template", id };
  expect(dataOf(await posthouse.templates.update("order", { name: "New" }))).toEqual(changed);
  expect(dataOf(await posthouse.templates.get(id))).toMatchObject({
    name: "New",
    html: order.html,
  });
  expect(dataOf(await posthouse.templates.remove(id))).toEqual({ ...changed, deleted: true });
  expect((await posthouse.templates.get(id)).error).toMatchObject({
    statusCode: 404,
    name: "not_found",
    message: "Template not found",
  });
});

test("create and duplicate can be followed by publish", async () => {
  const { id } = dataOf(await create().publish());
  const copy = dataOf(await posthouse.templates.duplicate(id).publish());
  expect(dataOf(await posthouse.templates.get(copy.id))).toMatchObject({
    status: "published",
    has_unpublished_versions: false,
    alias: null,
  });
});

test("list, with limit and cursors", async () => {
  const first = dataOf(await create());
  const second = dataOf(await posthouse.templates.duplicate(first.id));
  const page = dataOf(await posthouse.templates.list({ limit: 1 }));
  expect(page).toMatchObject({ object: "list", has_more: true, data: [{ id: second.id }] });
  const next = dataOf(await posthouse.templates.list({ after: second.id }));
  expect(next).toMatchObject({ has_more: false, data: [{ id: first.id, status: "draft" }] });
});

test("create explains which variable isn't defined", async () => {
  const { error } = await posthouse.templates.create({ ...order, variables: [] });
  expect(error).toMatchObject({
    statusCode: 422,
    name: "validation_error",
    message: "Variable 'ORDER' is used in the template but not defined in the variables list",
  });
});

test("emails use the published template", async () => {
  const template = { id: "order", variables: { ORDER: 7 } };
  const email = { from, to: "bob@example.org", template };
  const { id } = dataOf(await create());
  expect((await posthouse.emails.send(email)).error).toMatchObject({
    statusCode: 422,
    name: "validation_error",
  });
  await posthouse.templates.publish(id);
  const sent = dataOf(await posthouse.emails.send(email));
  expect(dataOf(await posthouse.emails.get(sent.id))).toMatchObject({
    subject: "Order 7",
    html: "<p>item</p>",
    reply_to: ["desk@shop.example"],
  });
  const batch = dataOf(await posthouse.batch.send([email, { ...email, subject: "Own" }]));
  const second = dataOf(await posthouse.emails.get(batch.data[1]!.id));
  expect(second).toMatchObject({ subject: "Own", html: "<p>item</p>" });
});
