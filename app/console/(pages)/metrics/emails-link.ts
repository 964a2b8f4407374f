/** Which emails a number stands for. */
type Behind = {
  states?: readonly string[] | undefined;
  /** An event that they had, whatever came after it. */
  event?: string | undefined;
  /** Instants, ISO 8601. */
  start: string;
  end: string;
  domainId?: string | null;
};

/** The list of the emails that a number counts. */
export function emailsLink({ states = [], event, start, end, domainId }: Behind): string {
  const search = new URLSearchParams();
  for (const state of states) search.append("status", state);
  if (event !== undefined) search.set("event", event);
  if (domainId) search.set("domain", domainId);
  search.set("from", start);
  search.set("to", end);
  return `/console/emails?${search.toString()}`;
}
