import { localDay, ownZone } from "./period.ts";

/** Which emails a number stands for. */
type Behind = {
  states?: readonly string[] | undefined;
  /** An event that they had, whatever came after it. */
  event?: string | undefined;
  /** The first and the last instant, ISO 8601. */
  start: string;
  end: string;
  domainId?: string | null;
};

/** The list of the emails that a number counts. */
export function emailsLink({ states = [], event, start, end, domainId }: Behind): string {
  const search = new URLSearchParams();
  if (states.length > 0) search.set("status", states.join(","));
  if (event !== undefined) search.set("event", event);
  if (domainId) search.set("domain", domainId);
  // The list is by days, in the reader's zone.
  search.set("from", localDay(Date.parse(start), ownZone()));
  search.set("to", localDay(Date.parse(end), ownZone()));
  return `/console/emails?${search.toString()}`;
}
