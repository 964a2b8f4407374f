import { aDovecot } from "#server/testing/a-dovecot.ts";

import { test as base } from "./fixtures.ts";

/** `test` with a Dovecot on the appliance's data folder, which mailboxes and groups need. */
export const test = base.extend<object, { mailServer: undefined }>({
  mailServer: [
    async ({ appliance: { dataFolder, databaseUrl } }, provide) => {
      const dovecot = await aDovecot({ givenFolder: dataFolder, databaseUrl });
      await provide(undefined);
      await dovecot.stop();
    },
    { scope: "worker", auto: true },
  ],
});

export { expect } from "./fixtures.ts";
