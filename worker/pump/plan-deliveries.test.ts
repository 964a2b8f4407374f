import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import type { ClaimedRecipient } from "#server/core/outbox/claim-due.ts";
import { envelopeSender } from "#server/core/outbox/envelope-sender.ts";

import { planDeliveries } from "./plan-deliveries.ts";

const to = (...addresses: string[]): ClaimedRecipient[] =>
  addresses.map((recipient, at) => ({
    rowId: String(at),
    recipient,
    destination: recipient.split("@")[1]!,
    attempt: 0,
  }));
const here = {
  ...{ local: new Set<string>(), relay: null, dataFolder: "/data" },
  ...{ hostname: "mail.here.test", door: { host: "127.0.0.1", port: 2525 } },
};
const relay = { host: "relay.example", port: 587, implicitTls: false, auth: null };

function planned(
  recipients: ClaimedRecipient[],
  settings: Partial<Parameters<typeof planDeliveries>[1]> = {},
) {
  return planDeliveries(recipients, { ...here, ...settings }).map((envelope) => ({
    route: envelope.route(),
    recipients: envelope.recipients.map(({ recipient }) => recipient),
  }));
}

test("recipients of one domain share an envelope, mailboxes of this appliance go to Dovecot", () => {
  const recipients = to("a@x.example", "b@y.example", "c@x.example", "me@y.example");
  expect(planned(recipients, { local: new Set(["me@y.example"]) })).toEqual([
    { route: { kind: "mx", domain: "x.example" }, recipients: ["a@x.example", "c@x.example"] },
    { route: { kind: "mx", domain: "y.example" }, recipients: ["b@y.example"] },
    { route: { kind: "lmtp", socketPath: "/data/dovecot/run/lmtp" }, recipients: ["me@y.example"] },
  ]);
});

test("nothing under .localhost leaves the machine, whoever it is for", () => {
  const recipients = to("you@posthouse.localhost", "root@localhost", "a@notlocalhost");
  const plan = planDeliveries(recipients, { ...here, relay }).map((envelope) => [
    envelope.route().kind,
    envelope.recipients.length,
  ]);
  expect(plan).toEqual([
    ["lmtp", 2],
    ["relay", 1],
  ]);
});

test("what is for the appliance itself goes to its own door, not to a smarthost", () => {
  const bounce = envelopeSender(randomUUID(), "mail.here.test");
  const forged = `bounce+${"0".repeat(48)}@mail.here.test`;
  const recipients = to("reports@mail.here.test", bounce, forged, "reports@x.example");
  expect(planned(recipients, { relay })).toEqual([
    {
      route: {
        kind: "relay",
        relay: { host: "127.0.0.1", port: 2525, implicitTls: false, auth: null },
      },
      recipients: ["reports@mail.here.test", bounce],
    },
    { route: { kind: "relay", relay }, recipients: [forged, "reports@x.example"] },
  ]);
});

test("a smarthost carries all domains together", () => {
  const plan = planDeliveries(to("a@x.example", "b@y.example"), { ...here, relay });
  expect(plan).toHaveLength(1);
  expect(plan[0]!.route()).toEqual({ kind: "relay", relay });
});

test("no envelope has more than fifty recipients", () => {
  const recipients = to(...Array.from({ length: 120 }, (_, i) => `r${i}@x.example`));
  expect(planned(recipients).map((envelope) => envelope.recipients.length)).toEqual([50, 50, 20]);
});
