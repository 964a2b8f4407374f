import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
};

const ROOT = join(import.meta.dirname, "..");

/** Summarizes the CPU profiles in a folder: functions by self time, longest first. */
export function selfTimes(folder: string, top = 25) {
  const times = new Map<string, number>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"))) {
    const profile = JSON.parse(readFileSync(join(folder, file), "utf8")) as Profile;
    const names = new Map(profile.nodes.map((node) => [node.id, nameOf(node.callFrame)]));
    profile.samples.forEach((id, at) => {
      const name = names.get(id)!;
      times.set(name, (times.get(name) ?? 0) + profile.timeDeltas[at]!);
    });
  }
  const busy = [...times].filter(([name]) => name !== "(idle)" && name !== "(program)");
  const total = busy.reduce((sum, [, time]) => sum + time, 0);
  return busy
    .sort(([, a], [, b]) => b - a)
    .slice(0, top)
    .map(([name, time]) => ({
      function: name,
      ms: Math.round(time / 1000),
      percent: Number(((100 * time) / total).toFixed(1)),
    }));
}

function nameOf({ functionName, url, lineNumber }: Profile["nodes"][0]["callFrame"]): string {
  if (!url) return functionName || "(anonymous)";
  const path = url.startsWith("file:") ? relative(ROOT, new URL(url).pathname) : url;
  return `${functionName || "(anonymous)"} ${path}:${lineNumber + 1}`;
}
