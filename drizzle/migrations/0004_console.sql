CREATE TYPE "public"."mail_log_kind" AS ENUM('received', 'refused', 'submitted', 'sign_in_failed');--> statement-breakpoint
CREATE TABLE "mail_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mail_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" "mail_log_kind" NOT NULL,
	"company_id" uuid,
	"client_address" "inet",
	"helo" text,
	"sender" text,
	"recipient" text,
	"size" integer,
	"message_id" text,
	"reply" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"monthly_allowance" integer,
	"domains_max" integer,
	"mailboxes_max" integer,
	"quota_mb_max" integer,
	"default_quota_mb" integer DEFAULT 5120 NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "processes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"version" text NOT NULL,
	"facts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"started_at" timestamp(6) with time zone NOT NULL,
	"alive_until" timestamp(6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "queue_holds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"held_by" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "system_checks" (
	"name" text PRIMARY KEY NOT NULL,
	"state" text,
	"found" text DEFAULT '' NOT NULL,
	"advice" text,
	"command" text,
	"started_at" timestamp(6) with time zone NOT NULL,
	"checked_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"email" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"is_owner" boolean DEFAULT false NOT NULL,
	"role_ids" uuid[] DEFAULT '{}' NOT NULL,
	"token_hash" text NOT NULL,
	"copied_token_hash" text NOT NULL,
	"invited_by" text NOT NULL,
	"inviter_kind" text DEFAULT 'admin' NOT NULL,
	"expires_at" timestamp(6) with time zone NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "invitations_email_lowercase" CHECK ("invitations"."email" = lower("invitations"."email"))
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint DEFAULT 0 NOT NULL,
	"transports" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "people" (
	"email" text PRIMARY KEY NOT NULL,
	"password_hash" text,
	"is_operator" boolean DEFAULT false NOT NULL,
	"email_proven_at" timestamp(6) with time zone,
	"totp_secret" text,
	"totp_last_step" bigint,
	"last_company_id" uuid,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "people_email_lowercase" CHECK ("people"."email" = lower("people"."email"))
);
--> statement-breakpoint
CREATE TABLE "preferences" (
	"email" text PRIMARY KEY NOT NULL,
	"choices" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"email" text NOT NULL,
	"code_hash" text NOT NULL,
	"used_at" timestamp(6) with time zone,
	CONSTRAINT "recovery_codes_pkey" PRIMARY KEY("email","code_hash")
);
--> statement-breakpoint
CREATE TABLE "sign_in_steps" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"email" text,
	"secret" text,
	"failures" bigint DEFAULT 0 NOT NULL,
	"expires_at" timestamp(6) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "admins" DROP CONSTRAINT "admins_email_lowercase";--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_creator_id_admins_id_fk";
--> statement-breakpoint
DROP INDEX "admins_email_key";--> statement-breakpoint
ALTER TABLE "api_keys" ALTER COLUMN "creator_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "allowed_addresses" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "plan_id" uuid;--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "second_factor_required" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "session_hours_max" integer DEFAULT 336 NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "last_used_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "client_address" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "user_agent" text;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "actor_kind" text DEFAULT 'system' NOT NULL;--> statement-breakpoint
ALTER TABLE "request_log" ADD COLUMN "api_key_id" uuid;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "preferences" ADD CONSTRAINT "preferences_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "sign_in_steps" ADD CONSTRAINT "sign_in_steps_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "mail_log_oldest_idx" ON "mail_log" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "plans_name_key" ON "plans" USING btree (lower("name"));--> statement-breakpoint
CREATE UNIQUE INDEX "queue_holds_subject_key" ON "queue_holds" USING btree ("kind","subject");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_email_key" ON "invitations" USING btree ("company_id","email");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_copied_token_hash_key" ON "invitations" USING btree ("copied_token_hash");--> statement-breakpoint
CREATE INDEX "passkeys_email_idx" ON "passkeys" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "sign_in_steps_expiry_idx" ON "sign_in_steps" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_in_steps_person_idx" ON "sign_in_steps" USING btree ("email");--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_creator_id_admins_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."admins"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
-- By hand: those who sign in become people, and the first owner runs the instance.
INSERT INTO "people" ("email", "password_hash", "email_proven_at", "created_at")
  SELECT "email", "password_hash", "created_at", "created_at" FROM "admins";--> statement-breakpoint
UPDATE "people" SET "is_operator" = true WHERE "email" = (
  SELECT a."email" FROM "admins" a JOIN "companies" c ON c."id" = a."company_id"
  WHERE a."is_owner" AND a."password_hash" IS NOT NULL AND c."purpose" <> 'platform'
  ORDER BY c."purpose" = 'customer' DESC, a."created_at" LIMIT 1);--> statement-breakpoint
UPDATE "audit_entries" SET "actor_kind" = CASE
  WHEN "actor" LIKE 'API key %' THEN 'api_key' WHEN "actor" LIKE '%@%' THEN 'admin' ELSE 'system' END;--> statement-breakpoint
ALTER TABLE "admins" ADD CONSTRAINT "admins_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "companies" ADD CONSTRAINT "companies_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_company_revoked_idx" ON "api_keys" USING btree ("company_id","created_at","id") WHERE "api_keys"."revoked_at" is not null;--> statement-breakpoint
CREATE INDEX "api_keys_creator_idx" ON "api_keys" USING btree ("creator_id");--> statement-breakpoint
CREATE INDEX "admins_company_idx" ON "admins" USING btree ("company_id","email");--> statement-breakpoint
CREATE INDEX "companies_newest_idx" ON "companies" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "sessions_user_idx" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "message_recipients_settled_idx" ON "message_recipients" USING btree ("settled_at","id") WHERE "message_recipients"."settled_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "admins_email_key" ON "admins" USING btree ("email","company_id");--> statement-breakpoint
ALTER TABLE "admins" DROP COLUMN "password_hash";