import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import type { Recipient } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { LeasedRecipient } from "#server/core/sending/outbox/email-leases.ts";
import { envelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";

import { planDeliveries } from "./plan-deliveries.ts";

const to = (...addresses: string[]): LeasedRecipient[] =>
  addresses.map((recipient, at) => ({
    rowId: String(at),
    recipient,
    destination: recipient.split("@")[1]!,
    attempt: 0,
  }));
const companyId = randomUUID();
const here = {
  companyId,
  resolved: new Map<string, Recipient>(),
  hosted: new Map<string, string>(),
  relay: null,
  dataFolder: "/data",
  origin: null,
  isTest: false,
  hostname: "mail.here.test",
  ownListener: () => ({ host: "127.0.0.1", port: 2525 }),
};
const relay = { host: "relay.example", port: 587, implicitTls: false, auth: null };

function planned(
  recipients: LeasedRecipient[],
  settings: Partial<Parameters<typeof planDeliveries>[1]> = {},
) {
  return planDeliveries(recipients, { ...here, ...settings }).map(({ way, recipients: all }) => ({
    ...(way.kind === "carried" ? { route: way.route() } : { way }),
    recipients: all.map(({ recipient }) => recipient),
  }));
}

const mailbox = (address: string): [string, Recipient] => [
  address,
  {
    kind: "mailbox",
    mailbox: address,
    companyId,
    roomBytes: Infinity,
    storeHost: null,
    isCatchAll: false,
  },
];

test("recipients of one domain share an envelope, and local mailboxes go to Dovecot", () => {
  const recipients = to("a@x.example", "b@y.example", "c@x.example", "me@y.example");
  expect(planned(recipients, { resolved: new Map([mailbox("me@y.example")]) })).toEqual([
    { route: { kind: "mx", domain: "x.example" }, recipients: ["a@x.example", "c@x.example"] },
    { route: { kind: "mx", domain: "y.example" }, recipients: ["b@y.example"] },
    {
      route: { kind: "lmtp", at: { path: "/data/dovecot/run/lmtp" } },
      recipients: ["me@y.example"],
    },
  ]);
});

test("mail to .localhost stays on this machine", () => {
  const recipients = to("you@posthouse.localhost", "root@localhost", "a@notlocalhost");
  expect(planned(recipients, { relay })).toMatchObject([
    { route: { kind: "lmtp" }, recipients: ["you@posthouse.localhost", "root@localhost"] },
    { route: { kind: "relay" }, recipients: ["a@notlocalhost"] },
  ]);
});

test("mail to the appliance itself goes to its own listener, not to a smarthost", () => {
  const bounce = envelopeSender(randomUUID(), "mail.here.test");
  const forged = `bounce+${"0".repeat(48)}@mail.here.test`;
  const returned = envelopeSender(randomUUID(), "bounces.x.example");
  const recipients = to("reports@mail.here.test", bounce, returned, forged, "reports@x.example");
  expect(planned(recipients, { relay })).toEqual([
    {
      route: {
        kind: "relay",
        relay: { host: "127.0.0.1", port: 2525, implicitTls: false, auth: null },
      },
      recipients: ["reports@mail.here.test", bounce, returned],
    },
    { way: { kind: "unknown" }, recipients: [forged] },
    { route: { kind: "relay", relay }, recipients: ["reports@x.example"] },
  ]);
});

test("a smarthost gets the mail of all domains together", () => {
  expect(planned(to("a@x.example", "b@y.example"), { relay })).toEqual([
    { route: { kind: "relay", relay }, recipients: ["a@x.example", "b@y.example"] },
  ]);
});

test("a company's inbound addresses share an envelope; another company's follow the MX", () => {
  const theirs = randomUUID();
  const resolved = new Map<string, Recipient>([
    ["in@y.example", { kind: "inbound", companyId, isCatchAll: false }],
    ["any@y.example", { kind: "inbound", companyId, isCatchAll: false }],
    ["in@z.example", { kind: "inbound", companyId: theirs, isCatchAll: false }],
  ]);
  const recipients = to("in@y.example", "in@z.example", "any@y.example");
  const ours = {
    way: { kind: "inbound", companyId },
    recipients: ["in@y.example", "any@y.example"],
  };
  expect(planned(recipients, { resolved })).toEqual([
    ours,
    { route: { kind: "mx", domain: "z.example" }, recipients: ["in@z.example"] },
  ]);
  expect(planned(recipients, { resolved, hosted: new Map([["z.example", theirs]]) })).toEqual([
    ours,
    { way: { kind: "inbound", companyId: theirs }, recipients: ["in@z.example"] },
  ]);
});

test("a catch-all receives mail from here only while the domain's MX points here", () => {
  const bob = "bob@y.example";
  const resolved = new Map<string, Recipient>([
    [bob, { kind: "inbound", companyId, isCatchAll: true }],
  ]);
  const mx = [{ route: { kind: "mx", domain: "y.example" }, recipients: [bob] }];
  const inbound = [{ way: { kind: "inbound", companyId }, recipients: [bob] }];
  expect(planned(to(bob), { resolved })).toEqual(mx);
  expect(planned(to(bob), { resolved, hosted: new Map([["y.example", companyId]]) })).toEqual(
    inbound,
  );
  // Its own server sent it here.
  expect(planned(to(bob), { resolved, origin: "incoming" })).toEqual(inbound);

  const [, ann] = mailbox("ann@y.example");
  const caught = new Map<string, Recipient>([[bob, { ...ann, isCatchAll: true } as Recipient]]);
  expect(planned(to(bob), { resolved: caught })).toEqual(mx);
  expect(planned(to(bob), { resolved: caught, origin: "incoming" })).toMatchObject([
    { route: { kind: "lmtp" }, recipients: [bob] },
  ]);
});

test("no envelope has more than fifty recipients", () => {
  const recipients = to(...Array.from({ length: 120 }, (_, i) => `r${i}@x.example`));
  expect(planned(recipients).map((envelope) => envelope.recipients.length)).toEqual([50, 50, 20]);
});

test("addresses of one mailbox share an envelope, and a copy", () => {
  const resolved = new Map(
    Array.from({ length: 102 }, (_, i): [string, Recipient] => [
      `r${i}@y.example`,
      { ...mailbox(`m${i % 51}@y.example`)[1] },
    ]),
  );
  const recipients = to(...resolved.keys());
  expect(planned(recipients, { resolved }).map((envelope) => envelope.recipients)).toEqual([
    expect.not.arrayContaining(["r50@y.example", "r101@y.example"]),
    ["r50@y.example", "r101@y.example"],
  ]);
});

test("each group gets its own envelope, and an alias is delivered to its mailbox", () => {
  const group = (address: string): [string, Recipient] => [
    address,
    { kind: "group", group: "team@y.example", companyId },
  ];
  const resolved = new Map([
    mailbox("me@y.example"),
    group("team@y.example"),
    group("team+x@y.example"),
    mailbox("alias@y.example"),
  ]);
  const recipients = to("me@y.example", "team@y.example", "alias@y.example", "team+x@y.example");
  const way = { kind: "group", group: "team@y.example" };
  expect(planned(recipients, { resolved })).toMatchObject([
    { route: { kind: "lmtp" }, recipients: ["me@y.example", "alias@y.example"] },
    { way, recipients: ["team@y.example"] },
    { way, recipients: ["team+x@y.example"] },
  ]);
});

test("mail to a hosted domain stays local, and postmaster@ reaches the owners", () => {
  const hosted = new Map([["y.example", companyId]]);
  const recipients = to(
    "typo@y.example",
    "postmaster@y.example",
    "Abuse@y.example",
    "abuse@mail.here.test",
    "a@z.example",
  );
  expect(planned(recipients, { hosted, relay })).toEqual([
    { way: { kind: "unknown" }, recipients: ["typo@y.example"] },
    { way: { kind: "owners", companyId }, recipients: ["postmaster@y.example"] },
    { way: { kind: "owners", companyId }, recipients: ["Abuse@y.example"] },
    { way: { kind: "owners", companyId: null }, recipients: ["abuse@mail.here.test"] },
    { route: { kind: "relay", relay }, recipients: ["a@z.example"] },
  ]);
});

test("a company whose MX is elsewhere receives mail there without a local mailbox", () => {
  const resolved = new Map([mailbox("me@y.example")]);
  expect(planned(to("me@y.example", "other@y.example"), { resolved })).toMatchObject([
    { route: { kind: "lmtp" }, recipients: ["me@y.example"] },
    { route: { kind: "mx", domain: "y.example" }, recipients: ["other@y.example"] },
  ]);
});

test("another company's mail follows the domain's MX; a company's own mail stays local", () => {
  const recipients = to("me@y.example");
  const resolved = new Map([mailbox("me@y.example")]);
  const lmtp = [{ route: { kind: "lmtp" } }];
  const mx = [{ route: { kind: "mx", domain: "y.example" } }];
  const hosted = new Map([["y.example", companyId]]);
  expect(planned(recipients, { resolved })).toMatchObject(lmtp);
  const sender = { companyId: randomUUID() };
  expect(planned(recipients, { resolved, ...sender })).toMatchObject(mx);
  expect(planned(recipients, { resolved, hosted, ...sender })).toMatchObject(lmtp);
});

test("mail for mailboxes is delivered to the mail hosts that store them", () => {
  const resolved = new Map(
    ["mail-1", "mail-2", "mail-1"].map((storeHost, at): [string, Recipient] => {
      const address = `m${at}@y.example`;
      return [
        address,
        {
          kind: "mailbox",
          mailbox: address,
          companyId,
          roomBytes: Infinity,
          storeHost,
          isCatchAll: false,
        },
      ];
    }),
  );
  expect(planned(to("m0@y.example", "m1@y.example", "m2@y.example"), { resolved })).toMatchObject([
    {
      route: { at: { host: "mail-1", port: 24240 } },
      recipients: ["m0@y.example", "m2@y.example"],
    },
    { route: { at: { host: "mail-2", port: 24240 } }, recipients: ["m1@y.example"] },
  ]);
});
