CREATE TYPE "public"."address_kind" AS ENUM('mailbox', 'alias', 'group');--> statement-breakpoint
CREATE TYPE "public"."group_moderation" AS ENUM('none', 'strangers', 'all');--> statement-breakpoint
CREATE TYPE "public"."group_posting" AS ENUM('anyone', 'company', 'members', 'listed');--> statement-breakpoint
CREATE TYPE "public"."group_replies" AS ENUM('author', 'group');--> statement-breakpoint
CREATE TYPE "public"."message_origin" AS ENUM('submission', 'forward', 'vacation', 'group', 'incoming', 'report');--> statement-breakpoint
CREATE TYPE "public"."message_recipient_state" AS ENUM('queued', 'held', 'delivered', 'bounced', 'dropped');--> statement-breakpoint
CREATE TYPE "public"."quarantine_reason" AS ENUM('spam', 'virus', 'moderation');--> statement-breakpoint
CREATE TABLE "addresses" (
	"address" text PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"domain_id" uuid NOT NULL,
	"kind" "address_kind" NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "addresses_lowercase" CHECK ("addresses"."address" = lower("addresses"."address"))
);
--> statement-breakpoint
CREATE TABLE "aliases" (
	"address" text PRIMARY KEY NOT NULL,
	"mailbox" text NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "group_members" (
	"group_address" text NOT NULL,
	"member" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "group_members_pkey" PRIMARY KEY("group_address","member")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"address" text PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"posting" "group_posting" DEFAULT 'anyone' NOT NULL,
	"posters" text[] DEFAULT '{}' NOT NULL,
	"moderation" "group_moderation" DEFAULT 'none' NOT NULL,
	"moderators" text[] DEFAULT '{}' NOT NULL,
	"replies" "group_replies" DEFAULT 'author' NOT NULL,
	"members_send_as" boolean DEFAULT false NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "app_passwords" (
	"id" uuid PRIMARY KEY NOT NULL,
	"mailbox" text NOT NULL,
	"name" text NOT NULL,
	"secret_hash" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp(6) with time zone,
	"last_used_for" text,
	"last_used_from" text
);
--> statement-breakpoint
CREATE TABLE "mailbox_contacts" (
	"mailbox" text NOT NULL,
	"contact" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "mailbox_contacts_pkey" PRIMARY KEY("mailbox","contact")
);
--> statement-breakpoint
CREATE TABLE "mailbox_rules" (
	"mailbox" text PRIMARY KEY NOT NULL,
	"forward_to" text[] DEFAULT '{}' NOT NULL,
	"keep_copy" boolean DEFAULT true NOT NULL,
	"vacation" jsonb,
	"filters" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"script" text DEFAULT '' NOT NULL,
	"script_id" text NOT NULL,
	"updated_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mailbox_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"client_address" text,
	"user_agent" text
);
--> statement-breakpoint
CREATE TABLE "sign_in_networks" (
	"account" text NOT NULL,
	"network" text NOT NULL,
	"first_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "sign_in_networks_pkey" PRIMARY KEY("account","network")
);
--> statement-breakpoint
CREATE TABLE "removed_stores" (
	"store" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "greylist" (
	"network" text NOT NULL,
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"first_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"passed_at" timestamp(6) with time zone,
	"last_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "greylist_pkey" PRIMARY KEY("network","sender","recipient")
);
--> statement-breakpoint
CREATE TABLE "message_contents" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_recipients" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "message_recipients_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" uuid NOT NULL,
	"recipient" text NOT NULL,
	"destination" text NOT NULL,
	"state" "message_recipient_state" DEFAULT 'queued' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"lease_until" timestamp(6) with time zone,
	"lease_owner" uuid,
	"dsn" text,
	"reply" text,
	"notify" text[],
	"original_recipient" text,
	"delay_told_at" timestamp(6) with time zone,
	"settled_at" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"origin" "message_origin" NOT NULL,
	"mailbox" text,
	"group_address" text,
	"sender" text NOT NULL,
	"is_sender_told" boolean NOT NULL,
	"signing_domain_id" uuid,
	"header_from" text DEFAULT '' NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"message_id" text,
	"size" integer NOT NULL,
	"recipient_count" integer NOT NULL,
	"client_address" text,
	"envelope_id" text,
	"return_full" boolean DEFAULT true NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quarantine" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"reason" "quarantine_reason" NOT NULL,
	"sender" text NOT NULL,
	"recipients" text[] NOT NULL,
	"header_from" text DEFAULT '' NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"client_address" text,
	"score" real,
	"findings" text[] DEFAULT '{}' NOT NULL,
	"size" integer NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quarantine_contents" (
	"quarantine_id" uuid PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "org_units" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "org_units_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" uuid NOT NULL,
	"parent_id" integer,
	"name" text NOT NULL,
	"default_quota_mb" integer,
	"imap_allowed" boolean,
	"pop3_allowed" boolean,
	"submission_allowed" boolean,
	"outside_allowed" boolean,
	"app_passwords_allowed" boolean,
	"password_length_min" integer,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "org_units_name_check" CHECK (length("org_units"."name") between 1 and 120)
);
--> statement-breakpoint
CREATE TABLE "admin_roles" (
	"admin_id" uuid NOT NULL,
	"role_id" uuid NOT NULL,
	CONSTRAINT "admin_roles_pkey" PRIMARY KEY("admin_id","role_id")
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"name" text NOT NULL,
	"privileges" text[] DEFAULT '{}' NOT NULL,
	"org_unit_id" integer,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "mailboxes_max" integer;--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "quota_mb_max" integer;--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "greylisting" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "org_unit_id" integer;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "store" text;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "sending_held_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "sign_in_attempts" ADD COLUMN "password_mark" text;--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "aliases" ADD CONSTRAINT "aliases_address_addresses_address_fk" FOREIGN KEY ("address") REFERENCES "public"."addresses"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "aliases" ADD CONSTRAINT "aliases_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_address_groups_address_fk" FOREIGN KEY ("group_address") REFERENCES "public"."groups"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_address_addresses_address_fk" FOREIGN KEY ("address") REFERENCES "public"."addresses"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "app_passwords" ADD CONSTRAINT "app_passwords_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_contacts" ADD CONSTRAINT "mailbox_contacts_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_rules" ADD CONSTRAINT "mailbox_rules_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_sessions" ADD CONSTRAINT "mailbox_sessions_user_id_mailboxes_address_fk" FOREIGN KEY ("user_id") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_contents" ADD CONSTRAINT "message_contents_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_recipients" ADD CONSTRAINT "message_recipients_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantine" ADD CONSTRAINT "quarantine_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantine_contents" ADD CONSTRAINT "quarantine_contents_quarantine_id_quarantine_id_fk" FOREIGN KEY ("quarantine_id") REFERENCES "public"."quarantine"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "org_units" ADD CONSTRAINT "org_units_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "org_units" ADD CONSTRAINT "org_units_parent_id_org_units_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."org_units"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admin_roles" ADD CONSTRAINT "admin_roles_admin_id_admins_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."admins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admin_roles" ADD CONSTRAINT "admin_roles_role_id_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."roles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "roles_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "roles_org_unit_id_org_units_id_fk" FOREIGN KEY ("org_unit_id") REFERENCES "public"."org_units"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "addresses_company_idx" ON "addresses" USING btree ("company_id","kind","address");--> statement-breakpoint
CREATE INDEX "addresses_domain_idx" ON "addresses" USING btree ("domain_id","kind","address");--> statement-breakpoint
CREATE INDEX "aliases_mailbox_idx" ON "aliases" USING btree ("mailbox","address");--> statement-breakpoint
CREATE INDEX "group_members_member_idx" ON "group_members" USING btree ("member");--> statement-breakpoint
CREATE INDEX "groups_company_idx" ON "groups" USING btree ("company_id","address");--> statement-breakpoint
CREATE UNIQUE INDEX "app_passwords_secret_hash_key" ON "app_passwords" USING btree ("mailbox","secret_hash");--> statement-breakpoint
CREATE INDEX "app_passwords_mailbox_idx" ON "app_passwords" USING btree ("mailbox","created_at");--> statement-breakpoint
CREATE INDEX "mailbox_sessions_user_idx" ON "mailbox_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "greylist_oldest_idx" ON "greylist" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "message_recipients_due_idx" ON "message_recipients" USING btree ("next_attempt_at","id") WHERE "message_recipients"."state" = 'queued' and "message_recipients"."lease_until" is null;--> statement-breakpoint
CREATE INDEX "message_recipients_leased_idx" ON "message_recipients" USING btree ("lease_until") WHERE "message_recipients"."lease_until" is not null;--> statement-breakpoint
CREATE INDEX "message_recipients_held_idx" ON "message_recipients" USING btree ("message_id") WHERE "message_recipients"."state" = 'held';--> statement-breakpoint
CREATE INDEX "message_recipients_message_idx" ON "message_recipients" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "messages_company_newest_idx" ON "messages" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "messages_mailbox_idx" ON "messages" USING btree ("mailbox","created_at");--> statement-breakpoint
CREATE INDEX "messages_oldest_idx" ON "messages" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "quarantine_company_newest_idx" ON "quarantine" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "quarantine_oldest_idx" ON "quarantine" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "org_units_root_key" ON "org_units" USING btree ("company_id") WHERE "org_units"."parent_id" is null;--> statement-breakpoint
CREATE INDEX "org_units_company_idx" ON "org_units" USING btree ("company_id","id");--> statement-breakpoint
CREATE INDEX "org_units_parent_idx" ON "org_units" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "roles_company_idx" ON "roles" USING btree ("company_id","name");--> statement-breakpoint
-- Each company has a root unit, and each mailbox so far its address, the root unit and the folder it is in.
INSERT INTO "org_units" ("company_id", "name") SELECT "id", left("name", 120) FROM "companies";
--> statement-breakpoint
INSERT INTO "addresses" ("address", "company_id", "domain_id", "kind") SELECT "address", "company_id", "domain_id", 'mailbox' FROM "mailboxes";
--> statement-breakpoint
UPDATE "mailboxes" m SET
	"org_unit_id" = (SELECT u."id" FROM "org_units" u WHERE u."company_id" = m."company_id" AND u."parent_id" IS NULL),
	"store" = split_part(m."address", '@', 2) || '/' || split_part(m."address", '@', 1);
--> statement-breakpoint
ALTER TABLE "mailboxes" ALTER COLUMN "org_unit_id" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "mailboxes" ALTER COLUMN "store" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_address_addresses_address_fk" FOREIGN KEY ("address") REFERENCES "public"."addresses"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_org_unit_id_org_units_id_fk" FOREIGN KEY ("org_unit_id") REFERENCES "public"."org_units"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mailboxes_unit_idx" ON "mailboxes" USING btree ("org_unit_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mailboxes_store_key" ON "mailboxes" USING btree ("store");--> statement-breakpoint
CREATE VIEW "public"."mailbox_policies" AS (
  select m.address,
    coalesce(p.imap_allowed, true) as imap_allowed,
    coalesce(p.pop3_allowed, true) as pop3_allowed,
    coalesce(p.submission_allowed, true) as submission_allowed,
    coalesce(p.outside_allowed, true) as outside_allowed,
    coalesce(p.app_passwords_allowed, true) as app_passwords_allowed,
    coalesce(p.password_length_min, 12) as password_length_min
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
      (array_agg(password_length_min order by height) filter (where password_length_min is not null))[1] as password_length_min
    from up
  ) p);