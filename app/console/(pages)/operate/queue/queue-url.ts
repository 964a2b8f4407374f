import type { Subject } from "./queries.ts";

/** The page that lists the queued mail of a destination or company. */
export function queueUrl({ kind, subject }: Subject): string {
  return `/console/operate/queue?${new URLSearchParams({ kind, subject }).toString()}`;
}
