import { and, eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { auditEntries, templates, templateVersions } from "#drizzle/schema/index.ts";
import { TEMPLATES_MAX, VERSIONS_KEPT } from "#server/core/sending/templates/template-content.ts";
import { db } from "#server/db/pool.ts";
import { withoutRates } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aTemplate } from "#server/testing/factories.ts";

import { templatesApi } from "./api.ts";

const HTML = "<p>Hi {{{NAME}}}</p>";
const NAME = { key: "NAME", type: "string", fallback_value: "there" };
const full = {
  name: "Welcome",
  alias: "welcome",
  subject: "Hi {{{NAME}}}",
  html: HTML,
  text: "Hi",
  from: "Ann <ann@shop.example>",
  reply_to: ["desk@shop.example"],
  variables: [NAME],
};
const NOT_FOUND = {
  status: 404,
  body: { statusCode: 404, name: "not_found", message: "Template not found" },
};
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/) as string;

let companyId: string;
let key: string;

beforeAll(withoutRates);
beforeEach(async () => {
  companyId = (await aCompany()).id;
  key = (await anApiKey(companyId)).token;
});

const create = (body: object) => call(templatesApi.create, { key, body });
const get = (id: string) => call(templatesApi.get, { key, params: { id } });
const update = (id: string, body: object) =>
  call(templatesApi.update, { key, params: { id }, body });
const publish = (id: string) => call(templatesApi.publish, { key, params: { id } });
const duplicate = (id: string) => call(templatesApi.duplicate, { key, params: { id } });
const remove = (id: string) => call(templatesApi.delete, { key, params: { id } });
const list = (query: Record<string, string> = {}) => call(templatesApi.list, { key, query });

async function created(body: object = full): Promise<string> {
  const answer = await create(body);
  expect(answer).toMatchObject({ status: 200, body: { object: "template" } });
  return (answer.body as { id: string }).id;
}
const bodyOf = async (id: string) => (await get(id)).body as Record<string, unknown>;
const auditsOf = async () =>
  (
    await db()
      .select({ action: auditEntries.action })
      .from(auditEntries)
      .where(eq(auditEntries.companyId, companyId))
      .orderBy(auditEntries.id)
  )
    .map(({ action }) => action)
    .filter((action) => action.startsWith("template."));

describe("POST /templates", () => {
  test("creates a draft, found by its ID and its alias", async () => {
    const id = await created();
    const { variables, ...fields } = full;
    expect(await bodyOf(id)).toEqual({
      object: "template",
      id,
      ...fields,
      status: "draft",
      published_at: null,
      variables: variables.map((each) => ({ ...each, created_at: aTime, updated_at: aTime })),
      created_at: aTime,
      updated_at: aTime,
      has_unpublished_versions: true,
      current_version_id: expect.any(String) as string,
    });
    expect(await bodyOf("welcome")).toEqual(await bodyOf(id));
    expect(await auditsOf()).toEqual(["template.created"]);
  });

  test("needs only a name and html; empty fields are absent, and an empty text means no text part", async () => {
    const empty = { alias: "", from: "", subject: "", reply_to: "", variables: null };
    for (const more of [{}, empty]) {
      const id = await created({ name: "A", html: "<p>", ...more });
      expect(await bodyOf(id)).toMatchObject({
        alias: null,
        from: null,
        subject: null,
        reply_to: null,
        text: null,
        variables: [],
      });
    }
    expect(await bodyOf(await created({ name: "A", html: "<p>", text: "" }))).toMatchObject({
      text: "",
    });
  });

  const variable = (more: object) => ({ variables: [{ ...NAME, ...more }] });
  test.each<[string, object, string]>([
    ["no name", { name: undefined }, "Missing required field: name"],
    ["no html", { html: undefined }, "Missing required field: html"],
    ["an empty name", { name: " " }, "name: must have 1 to 100 characters"],
    ["an alias with a slash", { alias: "a/b" }, "alias: must be 1 to 100 letters"],
    [
      "an alias like an ID",
      { alias: "0198c0de-0000-7000-8000-000000000000" },
      "alias: must not look like an ID",
    ],
    ["an invalid sender", { from: "ann" }, "from: must be a valid email address"],
    [
      "an invalid reply_to",
      { reply_to: ["a@b.example", "ann"] },
      "reply_to[1]: must be a valid email address",
    ],
    ["a line break in the subject", { subject: "a\nb" }, "subject: must be a single line"],
    ["html over 500,000 characters", { html: "x".repeat(500_001) }, "html: must be at most 500000"],
    [
      "an undefined variable",
      { html: "{{{OTHER}}}" },
      "Variable 'OTHER' is used in the template but not defined in the variables list",
    ],
    [
      "an undefined variable in the subject",
      { subject: "{{{X}}}" },
      "Variable 'X' is used in the template",
    ],
    [
      "variables used more than 5,000 times",
      { html: "{{{NAME}}}".repeat(2_500), text: "{{{NAME}}}".repeat(2_501) },
      "A template can use variables at most 5000 times",
    ],
    [
      "an undefined variable in the text",
      { text: "{{{X}}}" },
      "Variable 'X' is used in the template",
    ],
    [
      "a reserved variable in use",
      { html: "{{{FIRST_NAME}}}" },
      "Variable 'FIRST_NAME' is reserved",
    ],
    ["a reserved variable", variable({ key: "EMAIL" }), "variables[0].key: 'EMAIL' is reserved"],
    [
      "a variable with a dash",
      variable({ key: "a-b" }),
      "variables[0].key: must be 1 to 50 letters",
    ],
    [
      "a variable of 51 characters",
      variable({ key: "a".repeat(51) }),
      "variables[0].key: must be 1 to 50",
    ],
    ["another type", variable({ type: "list" }), "variables[0].type: must be string or number"],
    [
      "a fallback of another type",
      variable({ type: "number" }),
      "variables[0].fallback_value: must be a number",
    ],
    [
      "the same variable twice",
      { variables: [NAME, NAME] },
      "variables[1].key: 'NAME' is defined twice",
    ],
    [
      "51 variables",
      { variables: Array.from({ length: 51 }, (_, i) => ({ ...NAME, key: `A${i}` })) },
      "variables: must have at most 50",
    ],
  ])("rejects %s", async (_, more, message) => {
    const { status, body } = await create({ ...full, ...more });
    expect((body as { message: string }).message).toContain(message);
    expect(status).toBe(422);
  });

  test("rejects an alias that another template of the company has", async () => {
    await created();
    expect(await create(full)).toMatchObject({
      status: 422,
      body: { name: "validation_error", message: "alias: is used by another template" },
    });
    const other = await anApiKey((await aCompany()).id);
    expect((await call(templatesApi.create, { key: other.token, body: full })).status).toBe(200);
  });

  test("gives an alias to one of two templates created at the same time", async () => {
    const answers = await Promise.all([create(full), create(full)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  });

  test(`rejects more than ${TEMPLATES_MAX} templates, also as copies`, async () => {
    const id = await created();
    const [row] = await db().select().from(templates).where(eq(templates.id, id));
    await db()
      .insert(templates)
      .values(
        Array.from({ length: TEMPLATES_MAX - 1 }, () => ({
          companyId,
          name: "A",
          currentVersionId: row!.currentVersionId,
        })),
      );
    const refused = { status: 403, body: { name: "validation_error" } };
    expect(await create({ ...full, alias: null })).toMatchObject(refused);
    expect(await duplicate(id)).toMatchObject(refused);
  });
});

describe("PATCH /templates/{id}", () => {
  test("changes the draft in place, keeps absent fields and clears fields with null", async () => {
    const id = await created();
    const { current_version_id: version } = await bodyOf(id);
    expect(
      (await update("welcome", { html: "<p>{{{NAME}}}</p>", text: null, alias: null })).body,
    ).toEqual({
      object: "template",
      id,
    });
    expect(await bodyOf(id)).toMatchObject({
      name: "Welcome",
      subject: full.subject,
      html: "<p>{{{NAME}}}</p>",
      text: null,
      alias: null,
      current_version_id: version,
    });
  });

  test("of a published template creates a draft; name and alias change at once", async () => {
    const id = await created();
    await publish(id);
    const before = await bodyOf(id);
    await update(id, { name: "Hello", alias: "hello" });
    expect(await bodyOf(id)).toMatchObject({
      name: "Hello",
      alias: "hello",
      has_unpublished_versions: false,
    });
    await update(id, { html: "New" });
    const after = await bodyOf(id);
    expect(after).toMatchObject({
      html: "New",
      status: "published",
      has_unpublished_versions: true,
    });
    expect(after.current_version_id).not.toBe(before.current_version_id);
    expect(after.published_at).toBe(before.published_at);
  });

  test("keeps the times of variables that don't change", async () => {
    const id = await created();
    const at = "2026-03-01 08:00:00.000000+00";
    const stored = { key: "NAME", type: "string" as const, fallbackValue: "there" };
    await db()
      .update(templateVersions)
      .set({ variables: [{ ...stored, createdAt: at, updatedAt: at }] })
      .where(eq(templateVersions.templateId, id));
    const before = { ...NAME, created_at: at, updated_at: at };
    await update(id, { variables: [NAME, { key: "B", type: "number" }] });
    const [same] = (await bodyOf(id)).variables as object[];
    expect(same).toEqual(before);
    await update(id, { variables: [{ ...NAME, fallback_value: null }] });
    const [changed] = (await bodyOf(id)).variables as { created_at: string; updated_at: string }[];
    expect(changed!.created_at).toBe(at);
    expect(changed!.updated_at).not.toBe(at);
  });

  test("rejects what would leave an undefined variable, and a taken alias", async () => {
    const id = await created();
    await created({ ...full, alias: "taken" });
    expect(await update(id, { variables: [] })).toMatchObject({ status: 422 });
    expect(await update(id, { alias: "taken" })).toMatchObject({ status: 422 });
    expect(await update(id, { html: null })).toMatchObject({ status: 200 });
    expect(await bodyOf(id)).toMatchObject({ alias: "welcome", html: HTML });
  });

  test("gives an alias to one of several templates changed at the same time", async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => created({ ...full, alias: null })),
    );
    const answers = await Promise.all(ids.map((id) => update(id, { alias: "same" })));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array<number>(7).fill(422)]);
  });

  test("of nothing changes and records nothing", async () => {
    const id = await created();
    await publish(id);
    const before = await bodyOf(id);
    await update(id, { html: HTML, name: "Welcome" });
    expect(await bodyOf(id)).toEqual(before);
    expect(await auditsOf()).toEqual(["template.created", "template.published"]);
  });
});

describe("POST /templates/{id}/publish", () => {
  test("publishes the draft, and a second time changes nothing", async () => {
    const id = await created();
    expect((await publish("welcome")).body).toEqual({ object: "template", id });
    const published = await bodyOf(id);
    expect(published).toMatchObject({ status: "published", has_unpublished_versions: false });
    expect(published.published_at).toEqual(aTime);
    await publish(id);
    expect(await bodyOf(id)).toEqual(published);
    expect(await auditsOf()).toEqual(["template.created", "template.published"]);
  });

  test(`keeps the newest ${VERSIONS_KEPT} versions`, async () => {
    const { id } = await aTemplate(companyId);
    for (let at = 0; at < VERSIONS_KEPT + 1; at++) {
      await update(id, { html: `${at}` });
      await publish(id);
    }
    const numbers = await db()
      .select({ number: templateVersions.number })
      .from(templateVersions)
      .where(and(eq(templateVersions.templateId, id)))
      .orderBy(templateVersions.number);
    expect(numbers.map(({ number }) => number)).toEqual(
      Array.from({ length: VERSIONS_KEPT }, (_, i) => i + 3),
    );
  });
});

test("POST /templates/{id}/duplicate copies the newest content into a draft without alias", async () => {
  const id = await created();
  await publish(id);
  await update(id, { html: "Draft" });
  const copy = ((await duplicate("welcome")).body as { id: string }).id;
  expect(await bodyOf(copy)).toMatchObject({
    name: "Welcome (copy)",
    alias: null,
    status: "draft",
    html: "Draft",
    subject: full.subject,
    variables: [NAME],
  });
  const long = await created({ name: "x".repeat(100), html: "a" });
  const cut = ((await duplicate(long)).body as { id: string }).id;
  expect(await bodyOf(cut)).toMatchObject({ name: `${"x".repeat(93)} (copy)` });
});

test("DELETE /templates/{id} deletes all versions", async () => {
  const id = await created();
  await publish(id);
  await update(id, { html: "New" });
  expect((await remove("welcome")).body).toEqual({ object: "template", id, deleted: true });
  expect(await get(id)).toMatchObject(NOT_FOUND);
  expect(await db().$count(templateVersions, eq(templateVersions.companyId, companyId))).toBe(0);
  expect(await remove(id)).toMatchObject(NOT_FOUND);
});

test("GET /templates lists the company's templates, newest first, without content", async () => {
  await aTemplate((await aCompany()).id);
  const [first, second] = [await created(), await created({ ...full, alias: null })];
  await publish(second);
  expect((await list({ limit: "1" })).body).toEqual({
    object: "list",
    has_more: true,
    data: [
      {
        id: second,
        name: "Welcome",
        alias: null,
        status: "published",
        published_at: aTime,
        created_at: aTime,
        updated_at: aTime,
      },
    ],
  });
  expect((await list({ after: second })).body).toMatchObject({ data: [{ id: first }] });
});

test("another company's templates aren't found, by ID or by alias", async () => {
  const foreign = (await aCompany()).id;
  const { id } = await aTemplate(foreign, { alias: "theirs" });
  for (const path of [id, "theirs", "0198c0de-0000-7000-8000-000000000000", "no such", "a\0b"])
    for (const attempt of [
      get(path),
      update(path, { html: "x" }),
      publish(path),
      duplicate(path),
      remove(path),
    ])
      expect(await attempt).toMatchObject(NOT_FOUND);
  expect(await list({ after: id })).toMatchObject({ status: 422 });
  expect(await db().$count(templates, eq(templates.companyId, foreign))).toBe(1);
});
