import type { Subject } from "./queries.ts";

/** The page of what waits of a destination or a company. */
export function queueUrl({ kind, subject }: Subject): string {
  return `/console/operate/queue?${new URLSearchParams({ kind, subject }).toString()}`;
}
