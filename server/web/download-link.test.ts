import { afterAll, beforeAll, expect, test } from "vitest";

import { emailAttachments } from "#drizzle/schema/index.ts";
import { downloadUrl } from "#server/core/shared/secrets/link-token.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";
import { aQueuedEmail, aSender } from "#server/testing/queued-emails.ts";
import { aTrackingServer } from "#server/testing/tracking-server.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;
let companyId: string;
let emailId: string;

beforeAll(async () => {
  web = await aTrackingServer();
  const sender = await aSender();
  companyId = sender.companyId;
  emailId = await aQueuedEmail(sender, "ann@example.org");
  await db()
    .insert(emailAttachments)
    .values({
      emailId,
      position: 0,
      filename: 'a"\r\nx: y.html',
      contentType: "text/html",
      content: Buffer.from("<script>alert(1)</script>"),
    });
});
afterAll(() => web.stop());

const pathOf = (file: object = {}, now = new Date()) =>
  new URL(
    downloadUrl({ kind: "sent_attachment", companyId, emailId, position: 0, ...file }, now).url,
  ).pathname;

test("downloads the file, and browsers neither open nor run it", async () => {
  const { status, text, headers } = await web.ask(pathOf());

  expect([status, text]).toEqual([200, "<script>alert(1)</script>"]);
  expect(headers).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="a_ x: y.html"; filename*=UTF-8''a%22%20x%3A%20y.html`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  expect(headers["x"]).toBeUndefined();
});

test("works for an hour", async () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  expect((await web.ask(pathOf({}, ago(59)))).status).toBe(200);
  expect(await web.ask(pathOf({}, ago(60)))).toMatchObject({
    status: 410,
    text: expect.stringMatching(/expired/) as string,
  });
});

test("says so once the file is deleted", async () => {
  expect(await web.ask(pathOf({ position: 1 }))).toMatchObject({
    status: 410,
    text: expect.stringMatching(/no longer stored/) as string,
  });
});

test("the link is for one company's file, and can't be changed", async () => {
  const other = (await aCompany()).id;
  expect((await web.ask(pathOf({ companyId: other }))).status).toBe(410);
  const path = pathOf();
  const changed = path.slice(0, -2) + (path.at(-2) === "A" ? "B" : "A") + path.at(-1)!;
  for (const wrong of [changed, path.slice(0, -8), "/downloads/x%00"])
    expect((await web.ask(wrong)).status).toBe(404);
  expect((await web.ask(path, {}, "POST")).status).toBe(405);
});
