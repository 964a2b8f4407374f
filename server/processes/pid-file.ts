import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** A pid and when its process started, in clock ticks since boot: pids are used again, pairs are not. */
type Holder = { pid: number; startedAtTicks: string };

/**
 * Takes a file as a lock for the life of this process. A file left by a process that is gone, or whose
 * pid another process has by now, counts for nothing.
 *
 * @returns a function that gives the lock back, or the pid of the process that holds it
 */
export function takePidFile(file: string): (() => void) | { heldBy: number } {
  const mine: Holder = { pid: process.pid, startedAtTicks: startOf(process.pid)! };
  // Written aside and linked, so that nobody ever reads half of it.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(mine));
  try {
    while (!linked(draft, file)) {
      const heldBy = holderOf(file);
      if (heldBy) return { heldBy };
      rmSync(file, { force: true });
    }
    return () => rmSync(file, { force: true });
  } finally {
    rmSync(draft, { force: true });
  }
}

function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** The pid of the process that holds the lock, or null. */
export function holderOf(file: string): number | null {
  const holder = readHolder(file);
  return holder && startOf(holder.pid) === holder.startedAtTicks ? holder.pid : null;
}

function readHolder(file: string): Holder | null {
  try {
    const { pid, startedAtTicks } = JSON.parse(readFileSync(file, "utf8")) as Partial<Holder>;
    return pid && startedAtTicks ? { pid, startedAtTicks } : null;
  } catch {
    // Gone meanwhile, or cut short by a crash: nobody's either way.
    return null;
  }
}

/** Field 22 of /proc/<pid>/stat (proc(5)); null for a process that does not exist or is a zombie. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? null : (fields[18] ?? null);
  } catch {
    return null;
  }
}
