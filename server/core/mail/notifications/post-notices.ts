import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";

import { noticePosts, notificationSettings } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { postNotice } from "./post-notice.ts";
import { GIVEN_UP_HOURS, LEASE_SECONDS, retrySeconds } from "./retry-schedule.ts";

const BATCH_MAX = 20;
const KEPT_DAYS = 7;

type Leased = {
  sealedUrl: string;
  urlFormat: "slack" | "json";
  urlFailures: number;
  leasedUntil: string;
};

/**
 * Posts the notices that wait for one admin's URL, oldest first, until one fails; retries with backoff for a day. Each URL
 * has its own job, so that a slow one delays no other. A worker leases the URL, so that no notice is posted by two at once.
 */
export async function postNotices(db: Db, settingsId: string, http: OutgoingHttp): Promise<void> {
  await deleteObsolete(db, settingsId);
  const leased = await lease(db, settingsId);
  if (!leased) return continueLater(db, settingsId);
  let error: string | null = null;
  for (const { id, content, createdAt } of await listWaiting(db, settingsId)) {
    error = await postNotice(leased, { ...content, id, createdAt }, http);
    if (error !== null) break;
    await db
      .update(noticePosts)
      .set({ postedAt: sql`clock_timestamp()` })
      .where(eq(noticePosts.id, id));
  }
  await recordOutcome(db, settingsId, { leased, error });
  await continueLater(db, settingsId);
}

/** Notices that are too old, or whose reader has lost access. */
async function deleteObsolete(db: Db, settingsId: string): Promise<void> {
  await db.execute(sql`
    delete from notice_posts p using notification_settings s
    where p.settings_id = ${settingsId} and s.id = p.settings_id and (
      p.created_at < clock_timestamp() - case when p.posted_at is null then make_interval(hours => ${GIVEN_UP_HOURS})
        else make_interval(days => ${KEPT_DAYS}) end
      or p.posted_at is null and not case when s.company_id is null
        then exists (select from people o where o.email = s.email and o.is_operator)
        else exists (select from admins a where a.email = s.email and a.company_id = s.company_id
          and a.disabled_at is null) end)`);
}

async function lease(db: Db, settingsId: string): Promise<Leased | undefined> {
  const [leased] = await db.execute<Leased>(sql`
    update notification_settings s
    set url_next_attempt_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${settingsId} and sealed_url is not null and url_next_attempt_at <= clock_timestamp()
      and exists (select from notice_posts p where p.settings_id = s.id and p.posted_at is null)
    returning sealed_url as "sealedUrl", url_format as "urlFormat", url_failures as "urlFailures",
      url_next_attempt_at::text as "leasedUntil"`);
  return leased;
}

const listWaiting = (db: Db, settingsId: string) =>
  db
    .select()
    .from(noticePosts)
    .where(and(eq(noticePosts.settingsId, settingsId), isNull(noticePosts.postedAt)))
    .orderBy(asc(noticePosts.createdAt), asc(noticePosts.id))
    .limit(BATCH_MAX);

/** Changes nothing if the URL was changed meanwhile, which ended the lease. */
async function recordOutcome(
  db: Db,
  settingsId: string,
  { leased, error }: { leased: Leased; error: string | null },
): Promise<void> {
  const wait = retrySeconds(leased.urlFailures);
  await db
    .update(notificationSettings)
    .set(
      error === null
        ? {
            ...{ urlFailures: 0, urlFailingSince: null, urlError: null },
            ...{ urlPostedAt: sql`clock_timestamp()`, urlNextAttemptAt: sql`clock_timestamp()` },
          }
        : {
            urlFailures: sql`url_failures + 1`,
            urlFailingSince: sql`coalesce(url_failing_since, clock_timestamp())`,
            urlError: error,
            urlNextAttemptAt: sql`clock_timestamp() + make_interval(secs => ${wait})`,
          },
    )
    .where(
      and(
        eq(notificationSettings.id, settingsId),
        eq(notificationSettings.urlNextAttemptAt, leased.leasedUntil),
      ),
    );
}

/** Runs the job again when the URL may be tried next, if notices still wait for it. */
async function continueLater(db: Db, settingsId: string): Promise<void> {
  const [waiting] = await db
    .select({ at: notificationSettings.urlNextAttemptAt })
    .from(notificationSettings)
    .innerJoin(noticePosts, eq(noticePosts.settingsId, notificationSettings.id))
    .where(
      and(
        eq(notificationSettings.id, settingsId),
        isNotNull(notificationSettings.sealedUrl),
        isNull(noticePosts.postedAt),
      ),
    )
    .limit(1);
  if (waiting) await enqueue(db, "post_notices", { settingsId }, { runAt: new Date(waiting.at) });
}
