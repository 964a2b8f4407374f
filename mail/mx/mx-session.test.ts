import { pino } from "pino";
import type { SMTPServerSession } from "smtp-server";
import { expect, test, vi } from "vitest";

import { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";
import { ReceivingEstimate } from "#server/core/mail/received/receiving-limits.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { outsideDns } from "#server/testing/signed-mail.ts";
import { MailboxStore } from "#mail/lmtp/mailbox-store.ts";

import type { MxContext } from "./mx-context.ts";
import { createLimits } from "./limits.ts";
import { MxSession } from "./mx-session.ts";

const { resolver } = await outsideDns({ "34.216.184.93.bl.test": { A: ["127.0.0.2"] } });
const context: MxContext = {
  db: db(),
  log: pino({ level: "silent" }),
  hostname: "mail.here.test",
  resolver,
  cachedResolver: resolver,
  domains: new OwnedDomains(db()),
  receiving: new ReceivingEstimate(),
  store: new MailboxStore({ hostname: "mail.here.test" }),
  lmtpPlace: () => ({ path: "" }),
  countDmarc: () => undefined,
  acceptanceBlocker: () => Promise.resolve(null),
};

/** The reply that a client at this address gets at RCPT TO; `taken` if the recipient is accepted. */
async function ask(remoteAddress: string, mailbox: string): Promise<string> {
  const mailFrom = { address: "ann@there.test", args: false as const };
  const session = { remoteAddress, envelope: { mailFrom, rcptTo: [] } };
  const mx = new MxSession(session as unknown as SMTPServerSession, {
    context,
    limits: createLimits(),
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

test("checks SPF once per message, and only if a group with posting rules isn't the only recipient", async () => {
  const domain = await aDomain((await aCompany()).id);
  const boxes = [(await aMailbox(domain)).address, (await aMailbox(domain)).address];
  const members = boxes.slice(0, 1);
  const { address: group } = await aGroup(domain, { members, posting: "members" });
  const resolve = vi.fn(resolver.resolve.bind(resolver));
  const rcptTo: { address: string }[] = [];
  const mailFrom = { address: "ann@there.test", args: false as const };
  const session = {
    remoteAddress: "93.184.216.34",
    hostNameAppearsAs: "mx.there.test",
    envelope: { mailFrom, rcptTo },
  };
  const mx = new MxSession(session as unknown as SMTPServerSession, {
    context: { ...context, cachedResolver: { resolve } },
    limits: createLimits(),
    close: () => {},
  });
  mx.mailFrom(mailFrom);
  await mx.rcptTo({ address: group, args: false });
  rcptTo.push({ address: group });
  await mx.rcptTo({ address: group.toUpperCase(), args: false });
  expect(resolve).not.toHaveBeenCalled();
  const separately = /^4\.5\.3 /;
  for (const address of boxes)
    await expect(mx.rcptTo({ address, args: false })).rejects.toThrow(separately);
  const queries = resolve.mock.calls.length;
  expect(resolve.mock.calls.filter(([name]) => name === "there.test")).toHaveLength(1);
  mx.mailFrom(mailFrom);
  await expect(mx.rcptTo({ address: boxes[0]!, args: false })).rejects.toThrow(separately);
  expect(resolve).toHaveBeenCalledTimes(2 * queries);
  mx.end();
});

test("looks clients up on the configured blocklists only", async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  expect(await ask("93.184.216.34", address)).toBe("taken");
  await changeSetting(db(), "dnsbl_zones", "other.test,bl.test");
  expect(await ask("93.184.216.34", address)).toMatch(/^5\.7\.1 .*bl\.test/);
  expect(await ask("93.184.216.35", address)).toBe("taken");
});

test("rejects unknown recipients, but refuses no connection from a network that has sent clean mail", async () => {
  const domain = await aDomain((await aCompany()).id);
  const { address } = await aMailbox(domain);
  const limits = createLimits({ tarpitStepMs: 0 });
  const mailFrom = { address: "ann@there.test", args: false as const };
  const open = (remoteAddress: string) =>
    new MxSession(
      { remoteAddress, envelope: { mailFrom, rcptTo: [] } } as unknown as SMTPServerSession,
      {
        context,
        limits,
        close: () => {},
      },
    );
  const [provider, stranger] = [open("93.184.216.44"), open("93.184.216.45")];
  limits.connections.trust(provider);
  const guess = (mx: MxSession) =>
    mx.rcptTo({ address: `nobody@${domain.name}`, args: false }).catch(String);
  for (let i = 0; i < 60; i++) expect(await guess(provider)).toMatch(/5\.1\.1/);
  for (let i = 0; i < 50; i++) await guess(stranger);
  for (const mx of [provider, stranger]) mx.end();

  await open("93.184.216.44").rcptTo({ address, args: false });
  expect(() => open("93.184.216.45")).toThrow(/^4\.7\.0/);
});
