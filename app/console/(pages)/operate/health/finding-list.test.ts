import { expect, test } from "vitest";

import { isHealthy, listFindings } from "./finding-list.tsx";

const time = "2026-11-26T10:00:00.000Z";

const process = (role: "web" | "worker" | "mail", isAlive = true) =>
  ({ role, isAlive }) as Parameters<typeof listFindings>[0]["processes"][number];

const ALL = [process("web"), process("worker"), process("mail")];

const alarm = (name: string, severity: "warning" | "critical" = "warning") => ({
  name,
  severity,
  found: `found ${name}`,
  advice: "",
  raisedAt: time,
});

const check = (name: string, state: string | null, isRunning = false) =>
  ({
    name,
    label: `Label of ${name}`,
    state,
    isRunning,
    found: "found",
    checkedAt: time,
  }) as object as Parameters<typeof listFindings>[1][number];

const quiet = { alarms: [], processes: ALL, jobs: { waiting: 0, failing: [] } };

const todos = (...given: Parameters<typeof listFindings>) =>
  listFindings(...given).map(({ todo, subject }) => [todo, subject]);

test("a healthy server has no findings", () => {
  expect(listFindings(quiet, [check("disk", "ok"), check("mail", null)])).toEqual([]);
});

test("a server isn't healthy while a check runs, or before its first result", () => {
  const ok = check("disk", "ok");
  const shown = (second: typeof ok) => isHealthy(listFindings(quiet, [ok, second]), [ok, second]);
  expect(shown(check("mail", "ok"))).toBe(true);
  expect(shown(check("mail", "ok", true))).toBe(false);
  expect(shown(check("mail", null))).toBe(false);
  expect(shown(check("mail", null, true))).toBe(false);
  expect(shown(check("mail", "unknown"))).toBe(false);
});

test("a process that isn't running anywhere is to be started now", () => {
  const processes = [process("web"), process("worker", false), process("mail", false), ...ALL];
  expect(listFindings({ ...quiet, processes }, [])).toEqual([]);
  const alarms = [alarm("process:worker@a", "critical")];
  const without = { ...quiet, alarms, processes: [process("web"), process("mail", false)] };
  expect(listFindings(without, [])).toMatchObject([
    { todo: "now", found: "The worker process isn’t running" },
    { todo: "now", found: "The mail process isn’t running" },
  ]);
  expect(listFindings(without, [])).toHaveLength(2);
});

test("alarms are to be handled now, soon, or by waiting, with a link to the queue", () => {
  const alarms = [
    alarm("disk", "critical"),
    alarm("dns:example.com"),
    alarm("blocked:slow.example"),
    alarm("deferred:slow.example"),
    alarm("queue_age", "critical"),
  ];
  expect(todos({ ...quiet, alarms }, [])).toEqual([
    ["now", "Disk"],
    ["soon", "Domains"],
    ["soon", "Delivery"],
    ["wait", "Delivery"],
    ["now", "Delivery"],
  ]);
  expect(listFindings({ ...quiet, alarms }, []).map(({ link }) => link?.href)).toEqual([
    undefined,
    undefined,
    ...Array<string>(2).fill("/console/operate/queue?kind=destination&subject=slow.example"),
    "/console/operate/queue",
  ]);
});

test("a check counts once, even with an alarm about it", () => {
  const alarms = [alarm("check:backup", "critical"), alarm("check:gone", "critical")];
  const checks = [check("backup", "failed"), check("disk", "warning"), check("clock", "unknown")];
  expect(todos({ ...quiet, alarms }, checks)).toEqual([
    ["now", "Server"],
    ["now", "Label of backup"],
    ["soon", "Label of disk"],
    ["check", "Label of clock"],
  ]);
});

test("failing jobs are retried", () => {
  const failing = [{ task: "send_report", attempts: 2, error: "timeout", runAt: time }];
  expect(listFindings({ ...quiet, jobs: { waiting: 1, failing } }, [])).toMatchObject([
    { todo: "wait", found: "send_report failed 2 times: timeout", at: { label: "Next attempt" } },
  ]);
});
