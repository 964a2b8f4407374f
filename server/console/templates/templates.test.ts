import { beforeEach, expect, test } from "vitest";

import { call } from "#server/testing/call.ts";
import { aSendingCompany, type SendingCompany } from "#server/testing/console-emails.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aTemplate } from "#server/testing/factories.ts";

import { createTemplate } from "./create-template.ts";
import { deleteTemplate } from "./delete-template.ts";
import { duplicateTemplate } from "./duplicate-template.ts";
import { getTemplate } from "./get-template.ts";
import { listTemplates } from "./list-templates.ts";
import { publishTemplate } from "./publish-template.ts";
import { restoreVersion } from "./restore-version.ts";
import { updateTemplate } from "./update-template.ts";

let company: SendingCompany;
beforeEach(async () => {
  company = await aSendingCompany();
});

const at = (id: string) => ({ cookie: company.cookie, params: { id } });
const get = async (id: string) => (await call(getTemplate, at(id))).body;
const list = async () => (await call(listTemplates, { cookie: company.cookie })).body;

test("a template is created, listed, published and deleted", async () => {
  const body = { name: "Welcome", html: "<p>Hi</p>" };
  const created = await callFromPage(createTemplate, { cookie: company.cookie, body });
  const { id } = created.body as { id: string };
  expect(await list()).toMatchObject({
    counts: { total: 1 },
    data: [{ id, name: "Welcome", status: "draft", has_draft: true }],
  });
  await callFromPage(publishTemplate, at(id));
  expect(await list()).toMatchObject({ data: [{ status: "published", has_draft: false }] });
  await callFromPage(duplicateTemplate, at(id));
  expect(await list()).toMatchObject({ data: [{ name: "Welcome (copy)" }, { id }] });
  expect((await callFromPage(deleteTemplate, at(id))).status).toBe(200);
  expect(await list()).toMatchObject({ counts: { total: 1 } });
});

test("all invalid fields are reported at once", async () => {
  const body = {
    name: "",
    html: "<p>Hi</p>",
    alias: "a b",
    variables: [{ key: "-", type: "string" }],
  };
  const answer = await callFromPage(createTemplate, { cookie: company.cookie, body });
  expect(answer.status).toBe(422);
  const { fields } = answer.body as { fields: { path: string }[] };
  expect(fields.map(({ path }) => path)).toEqual(["name", "alias", "variables[0].key"]);
});

test("an older version becomes the draft, and emails keep the published one", async () => {
  const { id } = await aTemplate(company.companyId, { html: "<p>One {{{ORDER}}}</p>" });
  await callFromPage(updateTemplate, { ...at(id), body: { html: "<p>Two</p>" } });
  await callFromPage(publishTemplate, at(id));
  expect(await get(id)).toMatchObject({
    versions: [
      { number: 2, html: "<p>Two</p>", is_published: true },
      { number: 1, html: "<p>One {{{ORDER}}}</p>", is_published: false },
    ],
  });
  const restored = await callFromPage(restoreVersion, { ...at(id), body: { version: 1 } });
  expect(restored.status).toBe(200);
  expect(await get(id)).toMatchObject({
    ...{ html: "<p>One {{{ORDER}}}</p>", has_unpublished_versions: true },
    versions: [{ number: 3, published_at: null }, { number: 2, is_published: true }, { number: 1 }],
  });
  expect(await callFromPage(restoreVersion, { ...at(id), body: { version: 9 } })).toMatchObject({
    ...{ status: 404, body: { message: "Version not found" } },
  });
});
