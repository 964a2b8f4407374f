import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { v7 } from "uuid";

import {
  noticePosts,
  notificationSettings,
  type NotificationSettings,
  type PostedNotice,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { domainDns } from "#server/core/domains/domains/sending-domains.ts";
import type { Context } from "#server/core/shared/context.ts";
import { deriveId } from "#server/core/shared/derive-id.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";
import type { Db } from "#server/db/client.ts";
import {
  createOutgoingHttp,
  OutgoingFailure,
  type OutgoingHttp,
} from "#server/gateways/outgoing-http.ts";
import { enqueue, enqueueAll } from "#server/jobs/enqueue.ts";

import { findUrl, retryPosts, type SettingsOf } from "./notification-settings.ts";

const BATCH_MAX = 20;
/** After this, the URLs of others come first. */
const BATCH_MS = 10_000;
const KEPT_DAYS = 7;

type Leased = Pick<NotificationSettings, "urlFormat" | "urlFailures"> & {
  sealedUrl: string;
  leasedUntil: string;
};

/**
 * Posts the notices that wait for one admin's URL, oldest first, for some seconds or until one fails; retries with backoff for a day. Each
 * URL has its own job, so that URLs take turns. A worker leases the URL, so that no notice is posted by two at once.
 */
export async function postNotices(db: Db, settingsId: string, http: OutgoingHttp): Promise<void> {
  await deleteObsolete(db, settingsId);
  const leased = await lease(db, settingsId);
  if (!leased) return continueLater(db, settingsId);
  let error: string | null = null;
  const endsAt = performance.now() + BATCH_MS;
  for (const { id, content, createdAt } of await listWaiting(db, settingsId)) {
    error = await postNotice(leased, { ...content, id, createdAt }, http);
    if (error !== null) break;
    await db
      .update(noticePosts)
      .set({ postedAt: sql`clock_timestamp()` })
      .where(eq(noticePosts.id, id));
    if (performance.now() > endsAt) break;
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
    set url_next_attempt_at = clock_timestamp() + make_interval(secs => ${BATCH_LEASE_SECONDS})
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
            urlFailures: 0,
            urlFailingSince: null,
            urlError: null,
            urlPostedAt: sql`clock_timestamp()`,
            urlNextAttemptAt: sql`clock_timestamp()`,
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

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 1_024;

/** A notice for a URL; `id` is the same in each attempt. */
type Post = PostedNotice & { id: string; createdAt: string };

let http: OutgoingHttp | undefined;

/** Calls what webhooks may call: public addresses, unless POSTHOUSE_PRIVATE_WEBHOOKS allows others. */
export function noticeHttp(): OutgoingHttp {
  http ??= createOutgoingHttp({
    resolver: domainDns().resolver,
    allowedPrivate: config().privateWebhooks,
  });
  return http;
}

/**
 * Posts a notice to an admin's URL.
 *
 * @returns null if it was accepted, or why not, as in `webhook_attempts`
 */
export async function postNotice(
  { sealedUrl, urlFormat }: Pick<NotificationSettings, "urlFormat"> & { sealedUrl: string },
  post: Post,
  http: OutgoingHttp,
): Promise<string | null> {
  try {
    const { status } = await http.request({
      url: unseal("notification_url", sealedUrl),
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "Posthouse" },
      body: JSON.stringify(urlFormat === "slack" ? { text: slackText(post) } : asJson(post)),
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    return status >= 200 && status < 300 ? null : `HTTP ${status}`;
  } catch (error) {
    if (error instanceof OutgoingFailure) return error.code;
    throw error;
  }
}

const asJson = ({ id, kind, subject, paragraphs, url, createdAt }: Post) => ({
  id,
  kind,
  subject,
  text: paragraphs.join("\n\n"),
  url,
  created_at: new Date(createdAt).toISOString(),
});

/**
 * Queues a notice for the URLs of admins or operators, once each, however often it is called.
 *
 * @param noticeId UUIDv7
 * @param settingsIds whose URLs
 */
export async function queuePosts(
  db: Db,
  {
    noticeId,
    settingsIds,
    content,
  }: { noticeId: string; settingsIds: string[]; content: PostedNotice },
): Promise<void> {
  if (settingsIds.length === 0) return;
  await db.transaction(async (tx) => {
    const queued = await tx
      .insert(noticePosts)
      .values(
        settingsIds.map((settingsId) => ({
          id: deriveId(noticeId, settingsId),
          settingsId,
          content,
        })),
      )
      .onConflictDoNothing({ target: noticePosts.id })
      .returning({ settingsId: noticePosts.settingsId });
    await enqueueAll(tx, "post_notices", queued);
  });
}

/**
 * Posts a test to an admin's URL. If it succeeds, notices that wait for the URL follow.
 *
 * @returns null if it was accepted, or why not, as a sentence
 * @throws Refusal `invalid` if there is no URL
 */
export async function sendTestNotice(
  ctx: Context,
  of: SettingsOf,
  http: OutgoingHttp = noticeHttp(),
): Promise<string | null> {
  const settings = await findUrl(ctx, of);
  if (!settings) throw new Refusal("invalid", "Save a URL first");
  const { baseUrl, hostname } = config();
  const error = await postNotice(
    settings,
    {
      id: v7(),
      kind: "test",
      createdAt: ctx.now().toISOString(),
      subject: `Test from ${hostname}`,
      paragraphs: ["This is a test. Your notifications from Posthouse will arrive here."],
      url: `${baseUrl}/console/profile?tab=notifications`,
    },
    http,
  );
  if (error !== null) return explainFailure(error);
  await retryPosts(ctx, settings.id);
  return null;
}

const RETRY_FIRST_SECONDS = 30;
const RETRY_MAX_SECONDS = 1_800;

/** How long a worker may post a batch; longer than one takes if each request times out. */
export const BATCH_LEASE_SECONDS = 300;

/** Notices and alarms that couldn't be sent within this time are dropped. */
export const GIVEN_UP_HOURS = 24;

/** The wait before the next attempt, after `failures` earlier ones. */
export const retrySeconds = (failures: number): number =>
  Math.min(RETRY_MAX_SECONDS, RETRY_FIRST_SECONDS * 2 ** Math.min(failures, 10));

/** Slack, Mattermost and Rocket.Chat give these three characters a meaning. */
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A notice as the text of an incoming webhook of Slack, Mattermost or Rocket.Chat. */
export const slackText = ({
  subject,
  paragraphs,
  url,
}: Pick<PostedNotice, "subject" | "paragraphs" | "url">): string =>
  [`*${subject}*`, ...paragraphs, ...(url ? [url] : [])]
    .map((line) => line.replace(/[&<>]/g, (character) => ENTITIES[character]!))
    .join("\n");
