import { beforeEach, expect, test } from "vitest";

import { call } from "#server/testing/call.ts";
import { aSendingCompany, type SendingCompany } from "#server/testing/console-emails.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aTemplate } from "#server/testing/factories.ts";

import { templatesConsole } from "./console.ts";

let company: SendingCompany;
beforeEach(async () => {
  company = await aSendingCompany();
});

const at = (id: string) => ({ cookie: company.cookie, params: { id } });
const get = async (id: string) => (await call(templatesConsole.get, at(id))).body;
const list = async () => (await call(templatesConsole.list, { cookie: company.cookie })).body;

test("a template is created, listed, published and deleted", async () => {
  const body = { name: "Welcome", html: "<p>Hi</p>" };
  const created = await callFromPage(templatesConsole.create, { cookie: company.cookie, body });
  const { id } = created.body as { id: string };
  expect(await list()).toMatchObject({
    counts: { total: 1 },
    data: [{ id, name: "Welcome", status: "draft", hasDraft: true }],
  });
  await callFromPage(templatesConsole.publish, at(id));
  expect(await list()).toMatchObject({ data: [{ status: "published", hasDraft: false }] });
  await callFromPage(templatesConsole.duplicate, at(id));
  expect(await list()).toMatchObject({ data: [{ name: "Welcome (copy)" }, { id }] });
  expect((await callFromPage(templatesConsole.delete, at(id))).status).toBe(200);
  expect(await list()).toMatchObject({ counts: { total: 1 } });
});

test("all invalid fields are reported at once", async () => {
  const body = {
    name: "",
    html: "<p>Hi</p>",
    alias: "a b",
    variables: [{ key: "-", type: "string" }],
  };
  const answer = await callFromPage(templatesConsole.create, { cookie: company.cookie, body });
  expect(answer.status).toBe(422);
  const { fields } = answer.body as { fields: { path: string }[] };
  expect(fields.map(({ path }) => path)).toEqual(["name", "alias", "variables[0].key"]);
});

test("an older version becomes the draft, and emails keep the published one", async () => {
  const { id } = await aTemplate(company.companyId, { html: "<p>One {{{ORDER}}}</p>" });
  await callFromPage(templatesConsole.update, { ...at(id), body: { html: "<p>Two</p>" } });
  await callFromPage(templatesConsole.publish, at(id));
  expect(await get(id)).toMatchObject({
    versions: [
      { number: 2, html: "<p>Two</p>", isPublished: true },
      { number: 1, html: "<p>One {{{ORDER}}}</p>", isPublished: false },
    ],
  });
  const restored = await callFromPage(templatesConsole.restoreVersion, {
    ...at(id),
    body: { version: 1 },
  });
  expect(restored.status).toBe(200);
  expect(await get(id)).toMatchObject({
    html: "<p>One {{{ORDER}}}</p>",
    hasDraft: true,
    versions: [{ number: 3, publishedAt: null }, { number: 2, isPublished: true }, { number: 1 }],
  });
  expect(
    await callFromPage(templatesConsole.restoreVersion, { ...at(id), body: { version: 9 } }),
  ).toMatchObject({
    status: 404,
    body: { message: "Version not found" },
  });
});
