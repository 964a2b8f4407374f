CREATE TABLE "full_mailboxes" (
	"address" text PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"is_full" boolean NOT NULL,
	"noticed_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "notice_posts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"settings_id" uuid NOT NULL,
	"content" jsonb NOT NULL,
	"posted_at" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_settings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"company_id" uuid,
	"email_off" text[] DEFAULT '{}' NOT NULL,
	"url_off" text[] DEFAULT '{}' NOT NULL,
	"sealed_url" text,
	"url_format" text DEFAULT 'slack' NOT NULL,
	"url_failures" integer DEFAULT 0 NOT NULL,
	"url_failing_since" timestamp(6) with time zone,
	"url_error" text,
	"url_posted_at" timestamp(6) with time zone,
	"url_next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "notification_settings_key" UNIQUE NULLS NOT DISTINCT("email","company_id")
);
--> statement-breakpoint
CREATE TABLE "quarantine_digests" (
	"mailbox" text PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"listed_until" timestamp(6) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "org_units" ADD COLUMN "quarantine_digest" text;--> statement-breakpoint
ALTER TABLE "org_units" ADD COLUMN "quarantine_release" text;--> statement-breakpoint
ALTER TABLE "full_mailboxes" ADD CONSTRAINT "full_mailboxes_address_mailboxes_address_fk" FOREIGN KEY ("address") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "full_mailboxes" ADD CONSTRAINT "full_mailboxes_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_posts" ADD CONSTRAINT "notice_posts_settings_id_notification_settings_id_fk" FOREIGN KEY ("settings_id") REFERENCES "public"."notification_settings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_admin_fk" FOREIGN KEY ("email","company_id") REFERENCES "public"."admins"("email","company_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "quarantine_digests" ADD CONSTRAINT "quarantine_digests_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "full_mailboxes_company_idx" ON "full_mailboxes" USING btree ("company_id");--> statement-breakpoint
CREATE INDEX "notice_posts_settings_idx" ON "notice_posts" USING btree ("settings_id","created_at");--> statement-breakpoint
CREATE INDEX "quarantine_digests_company_idx" ON "quarantine_digests" USING btree ("company_id");--> statement-breakpoint
CREATE INDEX "quarantine_recipients_idx" ON "quarantine" USING gin ("recipients");--> statement-breakpoint
CREATE OR REPLACE VIEW "public"."mailbox_policies" AS (
  select m.address,
    coalesce(p.imap_allowed, true) as imap_allowed,
    coalesce(p.pop3_allowed, true) as pop3_allowed,
    coalesce(p.submission_allowed, true) as submission_allowed,
    coalesce(p.outside_allowed, true) as outside_allowed,
    coalesce(p.app_passwords_allowed, true) as app_passwords_allowed,
    coalesce(p.password_length_min, 12) as password_length_min,
    coalesce(p.quarantine_digest, 'off') as quarantine_digest,
    coalesce(p.quarantine_release, 'none') as quarantine_release
  from mailboxes m cross join lateral (
    with recursive up as (
      select u.*, 0 as height from org_units u where u.id = m.org_unit_id
      union all
      select u.*, up.height + 1 from org_units u join up on u.id = up.parent_id
    )
    select
      (array_agg(imap_allowed order by height) filter (where imap_allowed is not null))[1] as imap_allowed,
      (array_agg(pop3_allowed order by height) filter (where pop3_allowed is not null))[1] as pop3_allowed,
      (array_agg(submission_allowed order by height) filter (where submission_allowed is not null))[1] as submission_allowed,
      (array_agg(outside_allowed order by height) filter (where outside_allowed is not null))[1] as outside_allowed,
      (array_agg(app_passwords_allowed order by height) filter (where app_passwords_allowed is not null))[1] as app_passwords_allowed,
      (array_agg(password_length_min order by height) filter (where password_length_min is not null))[1] as password_length_min,
      (array_agg(quarantine_digest order by height) filter (where quarantine_digest is not null))[1] as quarantine_digest,
      (array_agg(quarantine_release order by height) filter (where quarantine_release is not null))[1] as quarantine_release
    from up
  ) p);