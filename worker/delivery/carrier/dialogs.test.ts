import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

import { expect, test } from "vitest";

import { providerOfHosts } from "#server/core/platform/monitoring/mail-provider.ts";
import { aDialogHost } from "#server/testing/dialog-host.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";
import type { Limits } from "#worker/delivery/shaping/limits.ts";

const { aCarrier, endWith } = outsideMail();

const MINUTE = 60_000;
const FOLDER = new URL("testdata/dialogs/", import.meta.url);

/** A provider's side of a dialog, and what it changes for the recipient and the destination. */
const DIALOGS = readdirSync(FOLDER).map((file) => {
  const lines = readFileSync(new URL(file, FOLDER), "utf8").trim().split("\n");
  return {
    name: basename(file, ".txt"),
    mailHost: lines.find((line) => line.startsWith("MX "))!.slice(3),
    steps: lines.filter((line) => /^([SC]: |CLOSE$)/.test(line)),
    expected: lines.filter((line) => /^[a-z]/.test(line)),
  };
});

test.each(DIALOGS)("$name", async ({ mailHost, steps, expected }) => {
  const host = await aDialogHost(steps);
  endWith(() => host.close());
  const clock = { now: Date.now() };
  const limited: [string, Limits][] = [];
  const carrier = await aCarrier(host, {
    findProvider: providerOfHosts,
    shaping: { now: () => clock.now, onLimited: (key, limits) => limited.push([key, limits]) },
    timeouts: { idleMs: 20 },
    zones: {
      "there.test": { MX: [`10 ${mailHost}`] },
      "other.test": { MX: [`10 ${mailHost}`] },
      [mailHost]: { A: ["127.0.0.1"] },
    },
  });
  const deliver = async (recipient: string) => {
    const [outcome] = await carrier.deliver({
      route: { kind: "mx", domain: recipient.split("@")[1]! },
      envelopeFrom: "bounce@here.test",
      recipients: [recipient],
      message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
    });
    return outcome!;
  };
  const isAttempted = async (recipient: string) => {
    const before = host.counts.connections + host.counts.messages;
    const { notAttempted } = await deliver(recipient);
    const isSeen = host.counts.connections + host.counts.messages > before;
    expect(isSeen).toBe(!notAttempted);
    return isSeen ? "is attempted" : "waits";
  };
  const first = await deliver("ann@there.test");
  const limits = limited.slice();
  expect([
    `recipient: ${describeOutcome(first)}`,
    `destination: ${limits.map((one) => describeLimits(one, clock.now)).join("; ") || "none"}`,
    `next email to the domain: ${await isAttempted("bob@there.test")}`,
    `another domain of the hosts: ${await isAttempted("cay@other.test")}`,
  ]).toEqual(expected);
});

function describeOutcome({ result, dsn, suppress, isBlock, notAttempted }: Outcome): string {
  const more = [suppress && "suppressed", isBlock && "blocked", notAttempted && "not attempted"];
  return [`${result} ${dsn}`, ...more.filter(Boolean)].join(", ");
}

function describeLimits([key, { throttle, suspendedUntil }]: [string, Limits], now: number) {
  return `${key.replace(/^domain /, "")} ${throttle} ${(suspendedUntil - now) / MINUTE} min`;
}
