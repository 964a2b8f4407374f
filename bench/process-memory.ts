// cspell:ignore ctxt
import { readdirSync, readFileSync } from "node:fs";

import { MS_PER_TICK, readStat } from "./cpu.ts";

/** Memory of a kind of process. */
export type Memory = {
  /** The name of the kind, such as "web" or "postgres". */
  process: string;
  count: number;
  /** Private memory and a proportional share of what processes share (PSS), in MB. */
  pssMb: number;
  /** The part of it that isn't backed by files. */
  anonymousMb: number;
  /** CPU time since the start, with that of exited children. */
  cpuMs: number;
  /** Context switches since the start, of living threads. */
  switches: number;
};

/** The names of our own programs, by a part of the command line. */
const PROGRAMS: [part: string, name: string][] = [
  ["server/main.", "web"],
  ["worker/main.", "worker"],
  ["mail/main.", "mail"],
  ["posthouse.mjs", "supervisor"],
  ["task-process.", "start-up tasks"],
  ["postgres", "postgres"],
  ["dovecot", "dovecot"],
];

/** The memory of a process and all its descendants, by kind, and their sum. */
export function familyMemory(pid: number): { total: number; processes: Memory[] } {
  const names = new Map<number, string>();
  const kinds = new Map<string, Memory>();
  for (const member of familyOf(pid)) {
    const measured = readMemory(member.pid);
    if (!measured) continue;
    const name = kindOf(member.pid, names.get(member.parent));
    names.set(member.pid, name);
    const kind = kinds.get(name) ?? {
      process: name,
      count: 0,
      pssMb: 0,
      anonymousMb: 0,
      cpuMs: 0,
      switches: 0,
    };
    kind.count++;
    kind.pssMb += measured.pssMb;
    kind.anonymousMb += measured.anonymousMb;
    kind.cpuMs += (readStat(member.pid)?.ticks ?? 0) * MS_PER_TICK;
    kind.switches += switchesOf(member.pid);
    kinds.set(name, kind);
  }
  const processes = [...kinds.values()].sort((a, b) => b.pssMb - a.pssMb);
  return { total: processes.reduce((sum, { pssMb }) => sum + pssMb, 0), processes };
}

/** Back ends and services that change their command line belong to their parent's kind. */
function kindOf(pid: number, parentKind: string | undefined): string {
  const command = readProc(pid, "cmdline").replaceAll("\0", " ");
  if (parentKind === "postgres" || parentKind === "dovecot") return parentKind;
  return PROGRAMS.find(([part]) => command.includes(part))?.[1] ?? command.split(" ")[0]!;
}

function switchesOf(pid: number): number {
  const statuses = listThreads(pid).map((thread) => readProc(pid, `task/${thread}/status`));
  const counts = statuses.join("").matchAll(/ctxt_switches:\s+(\d+)/g);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return []; // It exited after the listing.
  }
}

function readMemory(pid: number): { pssMb: number; anonymousMb: number } | null {
  const text = readProc(pid, "smaps_rollup");
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? Number.NaN) / 1024;
  const found = { pssMb: megabytes("Pss"), anonymousMb: megabytes("Anonymous") };
  // It exited after the listing.
  return Number.isNaN(found.pssMb) ? null : found;
}

function familyOf(pid: number): { pid: number; parent: number }[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(Number(name)) }));
  const family = all.filter((each) => each.pid === pid);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  return family;
}

function parentOf(pid: number): number {
  const stat = readProc(pid, "stat");
  // The second field is the name in parentheses and can contain anything.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
