import { pino } from "pino";
import { beforeEach, expect, test, vi } from "vitest";

import { setGreylisting } from "#server/core/access/companies/company-settings.ts";
import { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";
import { ReceivingEstimate } from "#server/core/mail/received/receiving-limits.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anInboundAddress,
} from "#server/testing/factories.ts";
import { MailboxStore } from "#mail/lmtp/mailbox-store.ts";

import type { MxContext } from "./mx-context.ts";
import { acceptRecipient } from "./on-rcpt-to.ts";

const hostname = "mail.here.test";
const resolver = createResolver({ dnsServers: null });
let context: MxContext;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: string;

beforeEach(async () => {
  domain = await aDomain((await aCompany()).id);
  mailbox = (await aMailbox(domain)).address;
  context = {
    db: db(),
    log: pino({ level: "silent" }),
    hostname,
    resolver,
    cachedResolver: resolver,
    store: new MailboxStore({ hostname }),
    domains: new OwnedDomains(db()),
    receiving: new ReceivingEstimate(),
    lmtpPlace: () => ({ path: "" }),
    countDmarc: () => undefined,
    acceptanceBlocker: () => Promise.resolve(null),
  };
});

const ask = (
  address: string,
  { listing = null as string | null, sender = "ann@there.test" } = {},
) =>
  acceptRecipient(context, address, {
    clientAddress: "93.184.216.34",
    sender,
    listing: Promise.resolve(listing),
  }).then(
    ({ kind }) => kind as string,
    (error: unknown) => String(error instanceof Error && error.message),
  );

test("the reply to a listed client names the blocklist, and postmaster and abuse stay reachable", async () => {
  const listing = "zen.list.test";
  expect(await ask(mailbox, { listing })).toMatch(/^5\.7\.1 .*zen\.list\.test/);
  expect(await ask((await aGroup(domain)).address, { listing })).toMatch(/^5\.7\.1/);
  expect(await ask(`abuse@${domain.name}`, { listing })).toBe("owners");
  expect(await ask("postmaster", { listing })).toBe("owners");
  expect(await ask(`reports@${hostname}`, { listing })).toBe("own");
  const abuse = await aMailbox(domain, { address: `abuse@${domain.name}` });
  expect(await ask(abuse.address, { listing })).toBe("mailbox");
  expect(await ask(`x${mailbox}`, { listing })).toMatch(/^5\.1\.1/);
});

test("below the disk reserve rejects mail, but accepts bounces and reports about our own mail", async () => {
  context.acceptanceBlocker = () => Promise.resolve("The disk of /secret is full");
  for (const address of [mailbox, (await aGroup(domain)).address, "postmaster"])
    expect(await ask(address)).toBe("4.3.1 Insufficient system storage, try again later");
  expect(await ask(`reports@${hostname}`)).toBe("own");
  expect(await ask(`x${mailbox}`)).toMatch(/^5\.1\.1/);
});

test("checks the limits of inbound addresses last, also for those named abuse", async () => {
  const full = { enhancedCode: "4.2.2", text: "Full" } as const;
  let checks = 0;
  vi.spyOn(context.receiving, "findError").mockImplementation(() => {
    checks += 1;
    return Promise.resolve(full);
  });
  const inbound = await anInboundAddress(domain);
  expect(await ask(inbound, { listing: "zen.list.test" })).toMatch(/^5\.7\.1/);
  expect([await ask(mailbox), checks]).toEqual(["mailbox", 0]);
  expect(await ask(inbound)).toBe("4.2.2 Full");
  expect(await ask(await anInboundAddress(domain, `abuse@${domain.name}`))).toBe("4.2.2 Full");
});

test("greylisting is a setting of the company and applies to mailboxes and groups only", async () => {
  const group = (await aGroup(domain)).address;
  expect(await ask(mailbox)).toBe("mailbox");
  await setGreylisting(aContext(domain.companyId), true);
  expect(await ask(mailbox)).toMatch(/^4\.7\.1/);
  expect(await ask(group)).toMatch(/^4\.7\.1/);
  expect(await ask(`postmaster@${domain.name}`)).toBe("owners");
  expect(await ask(`reports@${hostname}`)).toBe("own");
  const other = await aDomain((await aCompany()).id);
  expect(await ask((await aMailbox(other)).address)).toBe("mailbox");
});

test("rejects an address at a domain that another company has verified since", async () => {
  const other = await aDomain((await aCompany()).id);
  const stray = await aMailbox({ ...domain, name: other.name });
  expect(await ask(stray.address)).toMatch(/^5\.1\.1/);
});

test("delivers mail for postmaster and abuse to the address of that name if there is one, at the hostname too, and accepts it for a group without members", async () => {
  await aMailbox(domain, { address: `postmaster@${domain.name}` });
  await aGroup(domain, { address: `abuse@${domain.name}`, members: [mailbox] });
  expect(await ask(`postmaster@${domain.name}`)).toBe("mailbox");
  expect(await ask(`abuse@${domain.name}`)).toBe("group");
  expect(await ask(`abuse@${hostname}`)).toBe("owners");
  expect(await ask((await aGroup(domain)).address)).toBe("group");
});
