import { readerTimeZone } from "#app/console/(pages)/emails/datetime-local.ts";

import { localDate } from "./period.ts";

type EmailSelection = {
  statuses?: readonly string[] | undefined;
  /** An event that the emails had at any time. */
  event?: string | undefined;
  /** First and last instant of the range, ISO 8601. */
  start: string;
  end: string;
  domainId?: string | null;
};

/** Links to the list of the emails behind a number. */
export function emailsLink({ statuses = [], event, start, end, domainId }: EmailSelection): string {
  const search = new URLSearchParams();
  if (statuses.length > 0) search.set("status", statuses.join(","));
  if (event !== undefined) search.set("event", event);
  if (domainId) search.set("domain", domainId);
  // The list filters by date in the reader's time zone.
  search.set("from", localDate(Date.parse(start), readerTimeZone()));
  search.set("to", localDate(Date.parse(end), readerTimeZone()));
  return `/console/emails?${search.toString()}`;
}
