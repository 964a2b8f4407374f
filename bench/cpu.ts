import { readdirSync, readFileSync } from "node:fs";

/** proc(5): clock ticks of /proc are hundredths of a second on Linux. */
export const MS_PER_TICK = 10;

/** CPU time of a process, its living descendants and its exited children, in milliseconds. */
export function cpuMs(pid: number): number {
  return (
    familyOf(pid).reduce((sum, member) => sum + (readStat(member)?.ticks ?? 0), 0) * MS_PER_TICK
  );
}

/** A process and its living descendants. */
function familyOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc"))
    if (/^\d+$/.test(entry)) {
      const stat = readStat(Number(entry));
      if (stat) parents.set(Number(entry), stat.parent);
    }
  const family = [pid];
  for (const member of family)
    for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

/** CPU time by program; that of exited children counts as their parent's. */
export function cpuByProgram(pid: number): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const member of familyOf(pid)) {
    const stat = readStat(member);
    if (stat) sums[stat.program] = (sums[stat.program] ?? 0) + stat.ticks * MS_PER_TICK;
  }
  return sums;
}

/** CPU time of a process without its children, in milliseconds. */
export const ownCpuMs = (pid: number): number => (readStat(pid)?.own ?? 0) * MS_PER_TICK;

type Stat = { program: string; parent: number; own: number; ticks: number };

/** CPU time of a process in ticks: its own, and `ticks` with its exited children. Null if it has exited. */
export function readStat(pid: number): Stat | null {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null; // It exited after the listing.
  }
  // The second field is the name in parentheses and can contain anything; utime, stime, cutime and cstime are
  // fields 14 to 17.
  const fields = line
    .slice(line.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const own = fields[11]! + fields[12]!;
  const program = line.slice(line.indexOf("(") + 1, line.lastIndexOf(")"));
  return { program, parent: fields[1]!, own, ticks: own + fields[13]! + fields[14]! };
}
