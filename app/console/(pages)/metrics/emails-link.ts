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
  search.set("from", start);
  // The list takes the first moment that is no longer in it.
  search.set("to", new Date(Date.parse(end) + 1).toISOString());
  return `/console/emails?${search.toString()}`;
}
