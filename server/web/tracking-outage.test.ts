import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { config } from "#server/config.ts";
import { signClick, signOpen } from "#server/core/sending/tracking/tracking-token.ts";
import { closePool, db } from "#server/db/pool.ts";
import { aDatabaseProxy } from "#server/testing/a-database-proxy.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import { aTrackedEmail, aTrackingServer, shownOf } from "#server/testing/tracking-server.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;
let door: Awaited<ReturnType<typeof aDatabaseProxy>>;

beforeAll(async () => {
  door = await aDatabaseProxy();
  config().databaseUrl = door.url;
  web = await aTrackingServer();
});
afterAll(async () => {
  await web.stop();
  await closePool();
  await door.shut();
});

const image = (id: string) => `/t/o/${signOpen(id)}`;
const link = (emailId: string, url: string) => `/t/c/${signClick({ emailId, url })}`;

describe("without the database", () => {
  test("links lead to the page and the image is served; recording resumes afterwards", async () => {
    const email = await aTrackedEmail();
    const url = `https://${email.sender.name}/`;
    const old = link("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", url);
    await door.shut();

    const page = await web.ask(link(email.id, url));
    expect(page.status).toBe(200);
    expect(page.text).toContain(`href="${url}"`);
    expect(await web.ask(image(email.id))).toMatchObject({ status: 200 });
    expect(await web.ask(old)).toMatchObject({ status: 410 });
    expect(await web.ask("/t/c/x")).toMatchObject({ status: 404 });

    await door.reopen();
    await expect.poll(() => web.ask(link(email.id, url))).toMatchObject({ status: 302 });
    expect((await shownOf(email)).visits).toHaveLength(1);
  });
});

test("readers don't wait for an email's locked row: the visit is recorded afterwards", async () => {
  const email = await aTrackedEmail();
  const url = `https://${email.sender.name}/`;

  await db().transaction(async (tx) => {
    await tx.execute(sql`select from emails where id = ${email.id}::uuid for update`);
    expect(await web.ask(link(email.id, url))).toMatchObject({ status: 302 });
    expect(await historyOf(email.id)).toEqual(["sent"]);
  });

  await expect.poll(() => historyOf(email.id)).toEqual(["sent", "clicked"]);
});
