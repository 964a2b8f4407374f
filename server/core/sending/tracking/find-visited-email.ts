import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { LINK_DAYS } from "./link-lifetime.ts";
import type { Visit } from "./visit.ts";
import { isRecentlyRecorded, isTracked } from "./internal/visit-conditions.ts";

type VisitedEmail = {
  /** Its tracked links have expired. */
  isExpired: boolean;
  /** The link's host is a verified domain of the company, or a subdomain of one. */
  isCompanyHost: boolean;
  /** The visit would add an event. */
  counts: boolean;
};

/** Returns the email of a visit with one indexed read; null if there is none. */
export async function findVisitedEmail(db: Db, visit: Visit): Promise<VisitedEmail | null> {
  const names = JSON.stringify(visit.type === "clicked" ? namesAbove(visit.link) : []);
  const [visited] = await db.execute<VisitedEmail>(sql`
    select e.created_at + make_interval(days => ${LINK_DAYS}) <= clock_timestamp() as "isExpired",
      exists (
        select from domains d
        where d.company_id = e.company_id
          and d.name in (select jsonb_array_elements_text(${names}::jsonb))
          and d.status = 'verified' and d.ownership_proven_at is not null
      ) as "isCompanyHost",
      ${isTracked(visit)} and not ${isRecentlyRecorded(visit)} as counts
    from emails e where e.id = ${visit.emailId}::uuid`);
  return visited ?? null;
}

/** A URL's host and its parent domains: `a.b.example`, `b.example`, `example`. */
function namesAbove(url: string): string[] {
  const labels = new URL(url).hostname.replace(/\.$/, "").split(".");
  return labels.map((_, i) => labels.slice(i).join("."));
}
