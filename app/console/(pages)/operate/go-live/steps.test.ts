import { expect, test } from "vitest";

import type { Check } from "#app/console/ui/server-checks.tsx";

import { type GoLiveAnswer, goLiveSteps, startCommands } from "./steps.ts";

const check = (name: Check["name"], given: Partial<Check> = {}): Check => ({
  name,
  label: "Disk",
  state: "ok",
  found: "Found",
  advice: null,
  command: null,
  checkedAt: "2026-01-02T03:04:05Z",
  isRunning: false,
  ...given,
});

const server = { hostname: "mail.northwind.example", isLocal: false, records: [] };
const MISSING: GoLiveAnswer["records"] = [
  { type: "PTR", name: "198.51.100.7", value: server.hostname, purpose: "" },
];
const PASSED = (["dns", "reverse_dns", "port_out", "port_in", "certificate"] as const).map((name) =>
  check(name),
);

const states = (...input: Parameters<typeof goLiveSteps>) =>
  Object.fromEntries(goLiveSteps(...input).map(({ name, state }) => [name, state]));

test("in local mode, the hostname comes first", () => {
  const local = { hostname: null, isLocal: true, records: [] };
  const { hostname, ...rest } = states(local, []);
  expect(hostname).toBe("To do");
  expect(new Set(Object.values(rest))).toEqual(new Set(["Later"]));
});

test("a hostname is checked before the server starts with it, as far as possible", () => {
  const local = { ...server, isLocal: true, records: MISSING };
  expect(states(local, PASSED.slice(0, 3))).toEqual({
    hostname: "Done",
    records: "To do",
    outgoing: "Done",
    start: "To do",
    incoming: "Later",
    certificate: "Later",
    outside: "Later",
    domains: "Later",
  });
});

test("on a server, each step shows the most severe result of its checks", () => {
  expect(states(server, null)).toMatchObject({ records: "Checking…", incoming: "Checking…" });
  expect(states(server, PASSED)).toMatchObject({
    records: "Done",
    start: "Done",
    certificate: "Done",
    outside: "Do this yourself",
  });
  const failing = [
    check("dns"),
    check("reverse_dns", { state: "failed", advice: "Set the PTR record" }),
    check("port_in", { state: "warning" }),
    check("certificate", { isRunning: true }),
  ];
  const steps = goLiveSteps(server, failing);
  expect(states(server, failing)).toMatchObject({
    records: "Failed",
    incoming: "Warning",
    certificate: "Checking…",
  });
  expect(steps[1]!.checks.map(({ advice }) => advice)).toContain("Set the PTR record");
});

test("the commands name the hostname", () => {
  for (const command of Object.values(startCommands(server.hostname)))
    expect(command).toContain(server.hostname);
});
