import { and, asc, count, eq, isNull, type SQL, sql } from "drizzle-orm";

import {
  type Admin,
  admins,
  noticePosts,
  notificationSettings,
  type NotificationSettings,
} from "#drizzle/schema/index.ts";
import { adminRolesSql } from "#server/core/access/privileges/grants.ts";
import {
  effectivePrivileges,
  hasPrivilegeAnywhere,
  hasPrivilegeIn,
  type HeldPrivileges,
  type RoleGrant,
} from "#server/core/access/privileges/privileges.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type CompanyScope, type Context, inTransaction } from "#server/core/shared/context.ts";
import { seal, unseal } from "#server/core/shared/secrets/seal.ts";
import { parseEndpoint } from "#server/core/webhooks/endpoints/parse-endpoint.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { ALARM_KINDS, NOTICE_KINDS, type NoticeKind, privilegeOf } from "./notice-kinds.ts";

/** Whose settings: an admin's in the company, or an operator's for the server. */
export type SettingsOf = { email: string; scope: "company" | "server" };

/** What an admin chose, without the secret part of the URL. */
export type ShownNotifications = {
  /** The kinds that they can get, and how they get them. */
  kinds: { kind: string; email: boolean; url: boolean }[];
  url: ShownUrl | null;
};

type ShownUrl = Pick<
  NotificationSettings,
  "urlFormat" | "urlFailingSince" | "urlPostedAt" | "urlError"
> & {
  host: string;
  /** Notices that wait to be posted. */
  waiting: number;
};

/** Omitted fields keep their values. */
export type NotificationsChange = {
  emailOff?: string[] | undefined;
  urlOff?: string[] | undefined;
  /** Null removes it. */
  url?: string | null | undefined;
  urlFormat?: "slack" | "json" | undefined;
};

/** The kinds that an admin can act on, or all of an operator. */
const kindsFor = (held: HeldPrivileges, scope: SettingsOf["scope"]): readonly string[] =>
  scope === "server"
    ? ALARM_KINDS
    : NOTICE_KINDS.filter((kind) => hasPrivilegeAnywhere(held, privilegeOf(kind)));

export async function readNotifications(
  ctx: Context,
  of: SettingsOf & { held: HeldPrivileges },
): Promise<ShownNotifications> {
  const [settings] = await ctx.db.select().from(notificationSettings).where(belongsTo(ctx, of));
  return {
    kinds: kindsFor(of.held, of.scope).map((kind) => ({
      kind,
      email: !settings?.emailOff.includes(kind),
      url: !settings?.urlOff.includes(kind),
    })),
    url: settings?.sealedUrl ? await showUrl(ctx, settings, settings.sealedUrl) : null,
  };
}

async function showUrl(
  ctx: Context,
  { id, urlFormat, urlFailingSince, urlPostedAt, urlError }: NotificationSettings,
  sealedUrl: string,
): Promise<ShownUrl> {
  const [posts] = await ctx.db
    .select({ waiting: count() })
    .from(noticePosts)
    .where(and(eq(noticePosts.settingsId, id), isNull(noticePosts.postedAt)));
  return {
    urlFormat,
    urlFailingSince,
    urlPostedAt,
    urlError,
    host: new URL(unseal("notification_url", sealedUrl)).host,
    waiting: posts!.waiting,
  };
}

/**
 * Changes what an admin is notified about, and the URL that notices are posted to.
 *
 * @throws Refusal `invalid` for the URL
 */
export async function changeNotifications(
  ctx: Context,
  of: SettingsOf,
  { emailOff, urlOff, url, urlFormat }: NotificationsChange,
): Promise<void> {
  const endpoint = typeof url === "string" ? parseEndpoint(url, undefined, "url") : url;
  const changed = {
    ...(emailOff && { emailOff }),
    ...(urlOff && { urlOff }),
    ...(urlFormat && { urlFormat }),
    ...(endpoint !== undefined && {
      sealedUrl: endpoint === null ? null : seal("notification_url", endpoint),
      urlFailures: 0,
      urlFailingSince: null,
      urlError: null,
      urlPostedAt: null,
      urlNextAttemptAt: sql`clock_timestamp()`,
    }),
  };
  if (Object.keys(changed).length === 0) return;
  await inTransaction(ctx, async (ctx) => {
    const [settings] = await ctx.db
      .insert(notificationSettings)
      .values({
        email: of.email,
        companyId: of.scope === "company" ? ctx.companyId : null,
        ...changed,
      })
      .onConflictDoUpdate({
        target: [notificationSettings.email, notificationSettings.companyId],
        set: changed,
      })
      .returning({ id: notificationSettings.id });
    // What waited for the old URL isn't meant for the new one.
    if (endpoint !== undefined)
      await ctx.db
        .delete(noticePosts)
        .where(and(eq(noticePosts.settingsId, settings!.id), isNull(noticePosts.postedAt)));
    await recordAudit(ctx, "admin.notifications_changed", {
      email: of.email,
      scope: of.scope,
      emailOff,
      urlOff,
      ...(endpoint !== undefined && { host: endpoint && new URL(endpoint).host }),
    });
  });
}

/** The settings with a URL, for a test; null without one. Waiting notices follow if the test succeeds. */
export async function findUrl(
  ctx: Context,
  of: SettingsOf,
): Promise<(Pick<NotificationSettings, "id" | "urlFormat"> & { sealedUrl: string }) | null> {
  const [settings] = await ctx.db.select().from(notificationSettings).where(belongsTo(ctx, of));
  return settings?.sealedUrl ? { ...settings, sealedUrl: settings.sealedUrl } : null;
}

/** Posts waiting notices again at once, after a test that succeeded. */
export async function retryPosts(ctx: Context, settingsId: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await ctx.db
      .update(notificationSettings)
      .set({
        urlFailures: 0,
        urlFailingSince: null,
        urlError: null,
        urlPostedAt: sql`clock_timestamp()`,
        urlNextAttemptAt: sql`clock_timestamp()`,
      })
      .where(eq(notificationSettings.id, settingsId));
    await enqueue(ctx.db, "post_notices", { settingsId });
  });
}

const belongsTo = ({ companyId }: Context, { email, scope }: SettingsOf): SQL =>
  and(
    eq(notificationSettings.email, email),
    scope === "company"
      ? eq(notificationSettings.companyId, companyId)
      : isNull(notificationSettings.companyId),
  )!;

/** An admin that a notice concerns, and how they want to get it. */
export type NoticeReader = Pick<Admin, "id" | "name" | "email"> & {
  held: HeldPrivileges;
  byEmail: boolean;
  /** The settings with the URL to post it to; null if they don't want that. */
  urlOf: string | null;
};

/** The admins who can act on a notice, oldest first: owners, and those with the privilege in at least one unit. */
export async function listAdminsToNotify(
  ctx: CompanyScope,
  kind: NoticeKind,
): Promise<NoticeReader[]> {
  const { emailOff, urlOff, sealedUrl } = notificationSettings;
  const rows = await ctx.db
    .select({
      id: admins.id,
      name: admins.name,
      email: admins.email,
      isOwner: admins.isOwner,
      privileges: admins.privileges,
      roles: sql<RoleGrant[]>`${adminRolesSql(sql`${admins.id}`)}`,
      byEmail: sql<boolean>`not coalesce(${kind} = any(${emailOff}), false)`,
      urlOf: sql<
        string | null
      >`case when ${sealedUrl} is not null and not ${kind} = any(${urlOff}) then ${notificationSettings.id} end`,
    })
    .from(admins)
    .leftJoin(
      notificationSettings,
      and(
        eq(notificationSettings.email, admins.email),
        eq(notificationSettings.companyId, admins.companyId),
      ),
    )
    .where(and(eq(admins.companyId, ctx.companyId), isNull(admins.disabledAt)))
    .orderBy(asc(admins.createdAt));
  return rows
    .map(({ id, name, email, byEmail, urlOf, ...grants }) => ({
      id,
      name,
      email,
      byEmail,
      urlOf,
      held: effectivePrivileges(grants),
    }))
    .filter(({ held }) => hasPrivilegeAnywhere(held, privilegeOf(kind)));
}

/** Whether an admin can act on a notice about a mailbox of the unit. */
export const canActIn = (
  { held }: NoticeReader,
  kind: "on_hold" | "quota",
  unitId: number,
): boolean => hasPrivilegeIn(held, privilegeOf(kind), unitId);
