import { pino } from "pino";
import type { SMTPServerSession } from "smtp-server";
import { expect, test } from "vitest";

import { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";
import { ReceivingEstimate } from "#server/core/mail/received/receiving-limits.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { outsideDns } from "#server/testing/signed-mail.ts";
import { createCarrier } from "#worker/delivery/carrier/create-carrier.ts";

import type { MxContext } from "./mx-context.ts";
import { createLimits } from "./limits.ts";
import { MxSession } from "./mx-session.ts";

const { resolver } = await outsideDns({ "34.216.184.93.bl.test": { A: ["127.0.0.2"] } });
const context: MxContext = {
  ...{ db: db(), log: pino({ level: "silent" }), hostname: "mail.here.test" },
  ...{ resolver, cachedResolver: resolver, domains: new OwnedDomains(db()) },
  receiving: new ReceivingEstimate(),
  carrier: createCarrier({ hostname: "mail.here.test", resolver, outboundPort: 25 }),
  lmtpPlace: () => ({ path: "" }),
  countDmarc: () => undefined,
  acceptanceBlocker: () => Promise.resolve(null),
};

/** The reply that a client at this address gets at RCPT TO; `taken` if the recipient is accepted. */
async function ask(remoteAddress: string, mailbox: string): Promise<string> {
  const mailFrom = { address: "ann@there.test", args: false as const };
  const session = { remoteAddress, envelope: { mailFrom, rcptTo: [] } };
  const mx = new MxSession(session as unknown as SMTPServerSession, {
    ...{ context, limits: createLimits() },
    close: () => {},
  });
  try {
    mx.mailFrom(mailFrom);
    await mx.rcptTo({ address: mailbox, args: false });
    return "taken";
  } catch (error) {
    return String(error instanceof Error && error.message);
  } finally {
    mx.end();
  }
}

test("looks clients up on the configured blocklists only", async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  expect(await ask("93.184.216.34", address)).toBe("taken");
  await changeSetting(db(), "dnsbl_zones", "other.test,bl.test");
  expect(await ask("93.184.216.34", address)).toMatch(/^5\.7\.1 .*bl\.test/);
  expect(await ask("93.184.216.35", address)).toBe("taken");
});
