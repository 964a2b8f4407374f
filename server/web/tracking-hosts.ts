import type { Config } from "#server/config.ts";
import { listTrackingHosts } from "#server/core/platform/certificates/certificate-names.ts";
import type { Db } from "#server/db/client.ts";
import { runLoop } from "#server/processes/run-loop.ts";

const LOOK_EVERY_MS = 10_000;

export type TrackingHosts = {
  /** Whether a company uses the host of this Host header for its links only. */
  has: (host: string | undefined) => boolean;
  stop(): void;
};

/**
 * Follows the hosts that companies set for tracking and unsubscribe links, in memory, so that requests cost no query.
 * This server's own names never count.
 */
export async function followTrackingHosts(
  db: Db,
  { hostname, baseUrl }: Pick<Config, "hostname" | "baseUrl">,
  onProblem: (problem: unknown) => void,
): Promise<TrackingHosts> {
  const own = [hostname, new URL(baseUrl).hostname];
  let hosts = new Set<string>();
  const look = async () => {
    const all = await listTrackingHosts(db);
    hosts = new Set(all.filter((host) => !own.includes(host)));
  };
  await look().catch(onProblem);
  const watching = runLoop(look, {
    pauseMs: LOOK_EVERY_MS,
    firstPauseMs: LOOK_EVERY_MS,
    ref: false,
    onError: (problem, failures) => {
      if (failures === 1) onProblem(problem);
    },
  });
  return {
    has: (host) => hosts.size > 0 && host !== undefined && hosts.has(nameIn(host)),
    stop: () => void watching.stop(),
  };
}

/** The name in a Host header, without port and final dot. */
const nameIn = (host: string) => host.replace(/\.?(?::\d*)?$/, "").toLowerCase();
