import { beforeAll, describe, expect, test } from "vitest";

import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aDomain } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";

const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/;

/** A company with `count` emails, and their ids, newest first. */
async function aSenderOf(count: number) {
  const { id: companyId } = await aCompany();
  const { token: key } = await anApiKey(companyId);
  const { name } = await aDomain(companyId);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const body = { from: `a@${name}`, to: "b@example.org", subject: `No ${i}`, text: "Hi" };
    ids.unshift(((await call(emailsApi.send, { key, body })).body as { id: string }).id);
  }
  return { companyId, key, ids, domain: name };
}

type Listed = { has_more: boolean; data: { id: string }[] };
let sender: Awaited<ReturnType<typeof aSenderOf>>;

beforeAll(async () => {
  sender = await aSenderOf(25);
});

async function page(query: Record<string, string>) {
  const { status, body } = await call(emailsApi.list, { key: sender.key, query });
  expect(status).toBe(200);
  const { has_more: hasMore, data } = body as Listed;
  return { ids: data.map(({ id }) => id), hasMore };
}

describe("GET /emails", () => {
  test("lists emails newest first, 20 by default", async () => {
    expect(await page({})).toEqual({ ids: sender.ids.slice(0, 20), hasMore: true });
  });

  test("returns every field except html, text and tags, with null for empty lists", async () => {
    const { body } = await call(emailsApi.list, { key: sender.key, query: { limit: "1" } });

    expect(body).toEqual({
      object: "list",
      has_more: true,
      data: [
        {
          object: "email",
          id: sender.ids[0],
          message_id: `<${sender.ids[0]!}@${sender.domain}>`,
          to: ["b@example.org"],
          from: `a@${sender.domain}`,
          created_at: expect.stringMatching(TIMESTAMP) as string,
          subject: "No 24",
          cc: null,
          bcc: null,
          reply_to: null,
          last_event: "sent",
          scheduled_at: null,
        },
      ],
    });
  });

  test("returns an empty list to a company without emails", async () => {
    const { token } = await anApiKey((await aCompany()).id);

    expect((await call(emailsApi.list, { key: token })).body).toEqual({
      object: "list",
      has_more: false,
      data: [],
    });
  });

  test("accepts a limit of 1 and of 100", async () => {
    expect(await page({ limit: "1" })).toEqual({ ids: sender.ids.slice(0, 1), hasMore: true });
    expect(await page({ limit: "100" })).toEqual({ ids: sender.ids, hasMore: false });
  });

  test("has_more is false if the page ends with the last email", async () => {
    expect(await page({ limit: "25" })).toEqual({ ids: sender.ids, hasMore: false });
    expect(await page({ limit: "24" })).toEqual({ ids: sender.ids.slice(0, 24), hasMore: true });
  });

  test("pages forward with after, each email once", async () => {
    const seen: string[] = [];
    let after: string | undefined;
    let hasMore = true;
    while (hasMore) {
      const next = await page({ limit: "7", ...(after && { after }) });
      seen.push(...next.ids);
      after = next.ids.at(-1)!;
      hasMore = next.hasMore;
    }
    expect(seen).toEqual(sender.ids);
  });

  test("pages backward with before, in list order, up to the newest", async () => {
    const { ids } = sender;

    expect(await page({ before: ids[10]!, limit: "4" })).toEqual({
      ids: ids.slice(6, 10),
      hasMore: true,
    });
    expect(await page({ before: ids[3]!, limit: "4" })).toEqual({
      ids: ids.slice(0, 3),
      hasMore: false,
    });
  });

  test("returns nothing after the last and before the first email", async () => {
    expect(await page({ after: sender.ids.at(-1)! })).toEqual({ ids: [], hasMore: false });
    expect(await page({ before: sender.ids[0]! })).toEqual({ ids: [], hasMore: false });
  });

  test("omits another company's emails and rejects them as cursors", async () => {
    const other = await aSenderOf(1);

    const { body } = await call(emailsApi.list, { key: other.key });
    expect((body as Listed).data.map(({ id }) => id)).toEqual(other.ids);
    for (const cursor of ["after", "before"])
      expect(
        await call(emailsApi.list, { key: other.key, query: { [cursor]: sender.ids[0]! } }),
      ).toMatchObject({
        status: 422,
        body: { name: "validation_error", message: "Invalid pagination cursor" },
      });
  });

  const uuid = "01990000-0000-7000-8000-000000000000";
  test.each([
    ["limit 0", { limit: "0" }, "limit: must be a whole number from 1 to 100"],
    ["limit 101", { limit: "101" }, "limit: must be a whole number from 1 to 100"],
    ["a negative limit", { limit: "-1" }, "limit: must be a whole number from 1 to 100"],
    ["a limit with a fraction", { limit: "1.5" }, "limit: must be a whole number from 1 to 100"],
    ["a limit that is no number", { limit: "ten" }, "limit: must be a whole number from 1 to 100"],
    ["a limit in hexadecimal", { limit: "0x10" }, "limit: must be a whole number from 1 to 100"],
    ["an empty limit", { limit: "" }, "limit: must be a whole number from 1 to 100"],
    [
      "limit twice",
      [
        ["limit", "1"],
        ["limit", "2"],
      ],
      "limit: must appear only once",
    ],
    [
      "after twice",
      [
        ["after", uuid],
        ["after", uuid],
      ],
      "after: must appear only once",
    ],
    ["both cursors", { after: uuid, before: uuid }, "Use either after or before, not both"],
    ["a cursor that is no id", { after: "abc" }, "Invalid pagination cursor"],
    ["an empty cursor", { after: "" }, "Invalid pagination cursor"],
    ["an id of nothing", { before: uuid }, "Invalid pagination cursor"],
    ["a NUL in the cursor", { after: "\0" }, "Invalid pagination cursor"],
  ] as [string, Record<string, string> | [string, string][], string][])(
    "rejects %s",
    async (_, query, message) => {
      expect(await call(emailsApi.list, { key: sender.key, query })).toMatchObject({
        status: 422,
        body: { statusCode: 422, name: "validation_error", message },
      });
    },
  );
});
