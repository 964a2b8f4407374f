import { beforeAll, describe, expect, test } from "vitest";

import { changeApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { maskJson } from "#server/core/access/request-log/masked-body.ts";
import { flushRequestLog } from "#server/core/access/request-log/request-log.ts";
import type { JsonSchema } from "#server/http/json-schemas.ts";
import { call } from "#server/testing/call.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aContext, anApiKey } from "#server/testing/factories.ts";

import { apiKeysApi, apiKeysConsole } from "./api-keys.ts";
import { emailsApi } from "./emails/api.ts";
import { logsApi, logsConsole } from "./logs.ts";
import { getOpenapi } from "./registry.ts";
import { settingsConsole } from "./settings.ts";

type Entry = { id: string; error: string; message: string };

let companyId: string;
let cookie: string;

beforeAll(async () => {
  companyId = (await aCompany()).id;
  cookie = await aSession(companyId);
});

const entries = async (query: Record<string, string> = {}) => {
  const { body } = await callFromPage(logsConsole.list, { cookie, query });
  return (body as { data: Entry[] }).data;
};

const newest = async () => {
  const [{ id }] = (await entries()) as [Entry];
  return (await callFromPage(logsConsole.get, { cookie, params: { id } })).body;
};

describe("a request in Logs", () => {
  test("has the error's message, duration, IP address and masked body", async () => {
    const { token: key } = await anApiKey(companyId);
    const headers = { "x-forwarded-for": "198.51.100.20" };
    const body = { from: "a@nowhere.example", to: "ann", html: "<p>Secret</p>", token: "abc" };
    const { body: given } = await call(emailsApi.send, { key, headers, body });

    expect(await newest()).toMatchObject({
      status: 422,
      error: "missing_required_field",
      message: (given as { message: string }).message,
      durationMs: expect.any(Number) as number,
      clientAddress: "198.51.100.20",
      body: { size: JSON.stringify(body).length },
      logging: "on",
    });
    const { text } = ((await newest()) as { body: { text: string } }).body;
    expect(JSON.parse(text)).toEqual({
      from: "a@nowhere.example",
      to: "ann",
      html: "[13 characters]",
      token: "[3 characters]",
    });
  });

  test("shows the syntax of a body that isn't JSON", async () => {
    const { token: key } = await anApiKey(companyId);
    await call(emailsApi.send, { key, rawBody: '{"subject": "Hi",}' });
    expect(await newest()).toMatchObject({ body: { text: '{"xxxxxxx": "xx",}' } });
  });

  test("can be found by its error, IP address and duration", async () => {
    const found = async (query: Record<string, string>) => (await entries(query)).length > 0;
    expect(await found({ error: "MISSING_required" })).toBe(true);
    expect(await found({ error: "field: subject" })).toBe(true);
    expect(await found({ error: "no such text" })).toBe(false);
    expect(await found({ address: "198.51." })).toBe(true);
    expect(await found({ address: "51.100" })).toBe(false);
    expect(await found({ slowerThan: "0" })).toBe(true);
    expect(await found({ slowerThan: "9000000" })).toBe(false);
  });

  test("has no body without API controls, and while the company doesn't store them", async () => {
    const other = await aCompany();
    const { token: key } = await anApiKey(other.id);
    const owner = await aSession(other.id, ["api_controls", "manage_settings"]);
    const readNewest = async (cookie = owner) => {
      const { body } = await callFromPage(logsConsole.list, { cookie });
      const { id } = (body as { data: [Entry] }).data[0];
      return (await callFromPage(logsConsole.get, { cookie, params: { id } })).body;
    };
    await call(emailsApi.send, { key, body: { to: "ann" } });
    expect(await readNewest()).toMatchObject({ body: { size: 12 } });
    const reader = await aSession(other.id, ["view_emails"]);
    expect(await readNewest(reader)).toMatchObject({ body: null, logging: "not_shown" });

    const body = { logsRequestBodies: false };
    expect(await callFromPage(settingsConsole.update, { cookie: owner, body })).toMatchObject({
      status: 200,
    });
    expect(await readNewest()).toMatchObject({ body: null, logging: "off_by_company" });
    await call(emailsApi.send, { key, body: { to: "ben" } });
    expect(await readNewest()).toMatchObject({ body: null });
  });
});

test("requests that an allow-list blocked are in Logs and on the key's page, but not in the API", async () => {
  const { id } = await aCompany();
  const blocked = await anApiKey(id);
  await changeApiKey(aContext(id), blocked.id, { allowedAddresses: ["203.0.113.7"] });
  const { token: key } = await anApiKey(id);
  const owner = await aSession(id);
  const headers = { "x-forwarded-for": "198.51.100.20" };
  const refused = await call(apiKeysApi.list, { key: blocked.token, headers });
  expect(refused).toMatchObject({ status: 403, body: { name: "ip_not_allowed" } });
  await flushRequestLog();

  const { body } = await callFromPage(logsConsole.list, { cookie: owner });
  const [entry] = (body as { data: Entry[] }).data;
  expect(entry).toMatchObject({
    error: "ip_not_allowed",
    message: "198.51.100.20 is not on the key's allow-list",
    apiKey: { id: blocked.id },
  });
  const detail = { cookie: owner, params: { id: entry!.id } };
  expect((await callFromPage(logsConsole.get, detail)).body).toMatchObject({
    refusal: { remedy: expect.stringMatching(/add the IP address/) as string },
  });
  const shown = { cookie: owner, params: { id: blocked.id } };
  expect((await callFromPage(apiKeysConsole.get, shown)).body).toMatchObject({
    blocked: { count: 1, address: "198.51.100.20" },
  });

  expect((await call(logsApi.list, { key })).body).toMatchObject({ data: [] });
  expect(await call(logsApi.get, { key, params: { id: entry!.id } })).toMatchObject({
    status: 404,
  });
});

type Document = {
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: JsonSchema }> } }>
  >;
  components: { schemas: Record<string, JsonSchema> };
};

test("the text of these request body fields is masked", async () => {
  const { paths, components } = (await call(getOpenapi)).body as Document;
  const names = new Set<string>();
  const collect = (schema: JsonSchema, depth = 0): void => {
    if (depth > 12) return;
    const { $ref, properties = {}, items, anyOf = [], allOf = [] } = schema;
    if ($ref) collect(components.schemas[$ref.split("/").at(-1)!]!, depth + 1);
    for (const name of Object.keys(properties)) names.add(name);
    for (const part of [
      ...Object.values(properties),
      ...(items ? [items] : []),
      ...anyOf,
      ...allOf,
    ])
      collect(part, depth + 1);
  };
  for (const operations of Object.values(paths))
    for (const { requestBody } of Object.values(operations))
      for (const { schema } of Object.values(requestBody?.content ?? {})) collect(schema);
  const isMasked = (name: string) =>
    (maskJson({ [name]: "sesame" }) as Record<string, string>)[name] !== "sesame";

  expect([...names].filter(isMasked).sort()).toEqual(
    "attachments content fallback_value headers href html key path tags template text variables".split(
      " ",
    ),
  );
});
