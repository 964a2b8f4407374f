import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aWebmail, webmailSocket } from "#server/testing/a-webmail.ts";

import { test as base } from "./fixtures.ts";

type Servers = { webmailFolder: string; dovecot: TestDovecot; roundcube: undefined };

/** `test` with the real Roundcube, behind the appliance's own web server, on a real Dovecot. */
export const test = base.extend<object, Servers>({
  webmailFolder: [
    async ({}, provide) => {
      const folder = await mkdtemp(join(tmpdir(), "posthouse-webmail-"));
      await provide(folder);
      await rm(folder, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],

  settings: [
    ({ webmailFolder }, provide) =>
      provide({
        POSTHOUSE_WEBMAIL: `unix:${webmailSocket(webmailFolder)}`,
        // Nothing listens there, but app passwords can be limited to calendars and contacts.
        POSTHOUSE_CALENDAR: `unix:${join(webmailFolder, "calendar.sock")}`,
      }),
    { scope: "worker" },
  ],

  dovecot: [
    async ({ appliance: { dataFolder, databaseUrl } }, provide) => {
      const dovecot = await aDovecot({ givenFolder: dataFolder, databaseUrl });
      await provide(dovecot);
      await dovecot.stop();
    },
    { scope: "worker" },
  ],

  roundcube: [
    async ({ appliance: { url }, webmailFolder, dovecot }, provide) => {
      const roundcube = await aWebmail(webmailFolder, { dovecot, url });
      await provide(undefined);
      await roundcube.stop();
    },
    { scope: "worker", auto: true },
  ],
});

export { expect } from "./fixtures.ts";
