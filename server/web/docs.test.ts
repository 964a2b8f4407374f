import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { endpoints } from "#server/resources/registry.ts";
import { aTrackingServer } from "#server/testing/tracking-server.ts";

import { html, inline, prose } from "./docs/html.ts";
import { limitsOf, objectIn, typeOf } from "./docs/fields.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;

beforeAll(async () => {
  web = await aTrackingServer();
});
afterAll(() => web.stop());

const get = (path: string, method = "GET") => web.ask(path, {}, method);

describe("the API reference", () => {
  test("has every endpoint with its method and path, its parameters and fields, and samples", async () => {
    const page = (await get("/docs")).text.replaceAll("<wbr />", "");

    for (const { method, path, summary } of endpoints) {
      expect(page).toContain(`>${method}</span>`);
      expect(page).toContain(summary.replaceAll("'", "&#39;"));
      expect(page).toContain(path === "/" ? "<code>/</code>" : `<code>${path}</code>`);
    }
    for (const word of [
      "scheduled_at",
      "has_more",
      "invalid_from_address",
      "posthouse.emails.send",
    ])
      expect(page).toContain(word);
  });

  test.each([
    ["/docs", "text/html"],
    ["/docs?a=b", "text/html"],
    ["/docs/style.css", "text/css"],
    ["/docs/script.js", "text/javascript"],
  ])("serves %s as %s, and runs nothing from elsewhere", async (path, type) => {
    const answer = await get(path);

    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe(`${type}; charset=utf-8`);
    expect(answer.headers["content-security-policy"]).toMatch(/^default-src 'none'; /);
    expect(answer.text).not.toMatch(/(src|href)="(https?:)?\/\/|@import|url\(/);
  });

  test("explains each error once, and links to it from the endpoints that return it", async () => {
    const page = (await get("/docs")).text;
    expect(page.match(/id="error-422-missing_required_field"/g)).toHaveLength(1);
    const article = /<article id="postEmails"[^]*?<\/article>/.exec(page)![0];
    expect(article).toContain('href="#error-403-domain_not_verified"');
    expect(article).not.toContain('href="#error-409-resource_in_use"');
  });

  test("lists what each privilege opens", async () => {
    const page = (await get("/docs")).text;
    const section = /<section id="privileges"[^]*?<\/section>/.exec(page)![0];
    const row = section.split("<tr>").find((text) => text.includes("<code>create_users</code>"))!;
    expect(row).toContain('href="#postMailboxes"');
    expect(row).not.toContain('href="#deleteMailboxesId"');
  });

  test("has no inline script or style", async () => {
    expect((await get("/docs")).text).not.toMatch(/<script(?! src)|<style|\son\w+=|style=/);
  });

  test("has a target for every link within the page", async () => {
    const page = (await get("/docs")).text;
    const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);

    expect(links.filter((id) => !ids.has(id))).toEqual([]);
    expect(links.length).toBeGreaterThan(endpoints.length);
  });

  test("answers HEAD without a body, and rejects other methods", async () => {
    const head = await get("/docs", "HEAD");
    expect([head.status, head.text]).toEqual([200, ""]);
    const post = await get("/docs", "POST");
    expect([post.status, post.headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  test.each(["/docs/other", "/docsx", "/docs/../docs.ts", "/docs/toString"])(
    "doesn't handle %s",
    async (path) => {
      expect((await get(path)).text).toBe("not tracking");
    },
  );
});

test("escapes text in the page", () => {
  expect(html`<p>${`<script>"&'`}</p>`.text).toBe("<p>&lt;script&gt;&quot;&amp;&#39;</p>");
  expect(html`${inline("a `<b>` c")}`.text).toBe("a <code>&lt;b&gt;</code> c");
  expect(html`${prose("a\n\n- `b`\n- <c>")}`.text.replace(/\s/g, "")).toBe(
    "<p>a</p><ul><li><code>b</code></li><li>&lt;c&gt;</li></ul>",
  );
  expect(html`${[html`<i></i>`, null, undefined, false, 0]}`.text).toBe("<i></i>0");
});

describe("the description of a schema", () => {
  const schemas = { Thing: { type: "object", properties: { id: { type: "string" } } } };
  const thing = { $ref: "#/components/schemas/Thing" };

  test.each([
    [{ type: "string", format: "uuid" }, "UUID"],
    [{ type: ["string", "null"] }, "string or null"],
    [{ type: "array", items: { type: "string" } }, "list of strings"],
    [{ type: "array", items: { type: ["string", "null"] } }, "list of (string or null)"],
    [{ anyOf: [{ type: "string" }, { type: "array", items: thing }] }, "string or list of objects"],
    [thing, "object"],
    [{}, "any value"],
  ])("of %o is %s", (schema, words) => {
    expect(typeOf(schema, schemas)).toBe(words);
  });

  test.each([
    [{ minimum: 1, maximum: 100 }, ["1 to 100"]],
    [{ maximum: Number.MAX_SAFE_INTEGER }, []],
    [{ maxLength: 2_000_000 }, ["at most 2,000,000 characters"]],
    [{ minItems: 1 }, ["at least 1 entries"]],
    [{ enum: ["a", "b"] }, ["one of `a`, `b`"]],
    [{ const: true }, ["always `true`"]],
    [{ default: "UTC" }, ['default "UTC"']],
  ])("of %o has the limits %j", (schema, words) => {
    expect(limitsOf(schema, schemas)).toEqual(words);
  });

  test("lists the fields of an array's items", () => {
    expect(objectIn({ type: "array", items: thing }, schemas)).toMatchObject(schemas.Thing);
    expect(objectIn({ type: "string" }, schemas)).toBeNull();
  });
});
