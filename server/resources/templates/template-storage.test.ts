import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { STORED_MAX } from "#server/core/sending/templates/template-content.ts";
import { db } from "#server/db/pool.ts";
import { withoutRates } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import { templatesApi } from "./api.ts";

const html = "<p>{{{NAME}}} ü</p>";
const size = Buffer.byteLength(html);
const body = {
  name: "Welcome",
  html,
  text: null,
  variables: [{ key: "NAME", type: "string" }],
};

let companyId: string;
let key: string;

beforeAll(withoutRates);
beforeEach(async () => {
  companyId = (await aCompany()).id;
  key = (await anApiKey(companyId)).token;
});

const create = () => call(templatesApi.create, { key, body });
const at = (id: string) => ({ key, params: { id } });
const update = (id: string, body: object) => call(templatesApi.update, { ...at(id), body });
const created = async () => ((await create()).body as { id: string }).id;

/** Earlier versions of a template that leave `free` bytes. */
async function fill(templateId: string, free: number) {
  await db().execute(sql`
    insert into template_versions (id, company_id, template_id, number, html, variables)
    values (uuidv7(), ${companyId}, ${templateId}, 0, repeat('x', ${STORED_MAX - size - free}::int), '[]')`);
}

const refused = {
  status: 422,
  body: { message: expect.stringContaining("take 100 MB in total") as string },
};

test("the storage of all versions is limited; shorter drafts and names can be saved", async () => {
  const id = await created();
  await fill(id, size - 1);

  expect(await create()).toMatchObject(refused);
  expect(await call(templatesApi.duplicate, at(id))).toMatchObject(refused);
  expect(await update(id, { html: html.repeat(2) })).toMatchObject(refused);
  expect((await call(templatesApi.get, at(id))).body).toMatchObject({ html });
  const shorter = html.replace("ü", "");
  for (const change of [{ name: "Renamed" }, { html: shorter }, { html: shorter.repeat(2) }])
    expect(await update(id, change)).toMatchObject({ status: 200 });

  await call(templatesApi.publish, at(id));
  expect(await update(id, { html })).toMatchObject(refused);
  const other = await anApiKey((await aCompany()).id);
  expect((await call(templatesApi.create, { key: other.token, body })).status).toBe(200);
});

test("two creations at the same time don't exceed the limit", async () => {
  await fill(await created(), size);
  const answers = await Promise.all([create(), create()]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
});
