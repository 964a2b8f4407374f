import type { Db } from "#server/db/client.ts";
import { runLoop } from "#server/processes/run-loop.ts";

import { type ListedMailHost, listMailHosts } from "./list-mail-hosts.ts";

const LOOK_EVERY_MS = 10_000;

export type TrackedMailHosts = {
  /** The name of a mail host that runs; null if none does. */
  anyRunning(): string | null;
  stop(): Promise<void>;
};

/** Keeps a list of the mail hosts, for a process on a host without the mail role. */
export async function trackMailHosts(db: Db): Promise<TrackedMailHosts> {
  let hosts: ListedMailHost[] = await listMailHosts(db);
  const looking = runLoop(async () => void (hosts = await listMailHosts(db)), {
    ...{ pauseMs: LOOK_EVERY_MS, firstPauseMs: LOOK_EVERY_MS, ref: false },
    // The last list is good enough while the database is away.
    onError: () => {},
  });
  return {
    anyRunning: () => hosts.find(({ isRunning }) => isRunning)?.name ?? null,
    stop: () => looking.stop(),
  };
}
