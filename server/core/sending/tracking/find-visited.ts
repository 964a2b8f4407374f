import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { LINK_DAYS } from "./link-lifetime.ts";
import type { Visit } from "./visit.ts";
import { isMinuteTaken, isTracked } from "./internal/visit-conditions.ts";

/** What there is to know of an email that is visited. */
type Visited = {
  /** Its links lead on no longer. */
  isOver: boolean;
  /** The link's host is a verified domain of the company, or below one. */
  isOwnHost: boolean;
  /** The visit would make an entry of its history. */
  counts: boolean;
};

/** The email of a visit, by one read on indexes; null when there is none of this id. */
export async function findVisited(db: Db, visit: Visit): Promise<Visited | null> {
  const names = JSON.stringify(visit.type === "clicked" ? namesAbove(visit.link) : []);
  const [visited] = await db.execute<Visited>(sql`
    select e.created_at + make_interval(days => ${LINK_DAYS}) <= clock_timestamp() as "isOver",
      exists (
        select from domains d
        where d.company_id = e.company_id
          and d.name in (select jsonb_array_elements_text(${names}::jsonb))
          and d.status = 'verified' and d.ownership_proven_at is not null
      ) as "isOwnHost",
      ${isTracked(visit)} and not ${isMinuteTaken(visit)} as counts
    from emails e where e.id = ${visit.emailId}::uuid`);
  return visited ?? null;
}

/** A URL's host and the names above it: `a.b.example`, `b.example`, `example`. */
function namesAbove(url: string): string[] {
  const labels = new URL(url).hostname.replace(/\.$/, "").split(".");
  return labels.map((_, i) => labels.slice(i).join("."));
}
