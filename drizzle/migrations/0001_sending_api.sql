CREATE TABLE "email_attachments" (
	"email_id" uuid NOT NULL,
	"position" smallint NOT NULL,
	"filename" text,
	"content_type" text,
	"content_id" text,
	"content" "bytea" NOT NULL,
	CONSTRAINT "email_attachments_pkey" PRIMARY KEY("email_id","position")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "company_traffic" (
	"company_id" uuid PRIMARY KEY NOT NULL,
	"hits" bigint[] DEFAULT '{}' NOT NULL,
	"hit_counts" integer[] DEFAULT '{}' NOT NULL,
	"in_progress" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"counted" integer DEFAULT 0 NOT NULL,
	"admitted" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"company_id" uuid NOT NULL,
	"endpoint" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"process_id" uuid NOT NULL,
	"answer" jsonb,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY("company_id","endpoint","key")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "large_bodies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"process_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"method" text NOT NULL,
	"endpoint" text NOT NULL,
	"response_status" smallint NOT NULL,
	"error" text,
	"user_agent" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sending_seconds" (
	"scope" uuid NOT NULL,
	"second" bigint NOT NULL,
	"recipients" integer NOT NULL,
	CONSTRAINT "sending_seconds_pkey" PRIMARY KEY("scope","second")
);
--> statement-breakpoint
CREATE TABLE "sending_totals" (
	"scope" uuid PRIMARY KEY NOT NULL,
	"hour_recipients" bigint DEFAULT 0 NOT NULL,
	"month" text DEFAULT '' NOT NULL,
	"month_recipients" bigint DEFAULT 0 NOT NULL,
	"scheduled_recipients" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "web_processes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"alive_until" timestamp(6) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "api_keys_company_newest_idx";--> statement-breakpoint
DROP INDEX "domains_company_newest_idx";--> statement-breakpoint
DROP INDEX "emails_company_newest_idx";--> statement-breakpoint
DROP INDEX "audit_entries_company_newest_idx";--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "monthly_allowance" integer;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "due_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "event_types" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "placed_at" timestamp(6) with time zone GENERATED ALWAYS AS (coalesce(sent_at, created_at)) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "open_tracking" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "click_tracking" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "size" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "email_attachments" ADD CONSTRAINT "email_attachments_email_id_emails_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "company_traffic" ADD CONSTRAINT "company_traffic_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "large_bodies" ADD CONSTRAINT "large_bodies_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "request_log" ADD CONSTRAINT "request_log_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_keys_oldest_idx" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "request_log_company_newest_idx" ON "request_log" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "request_log_oldest_idx" ON "request_log" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "email_events_tracked_idx" ON "email_events" USING btree ("email_id","type","created_at") WHERE "email_events"."type" in ('opened', 'clicked');--> statement-breakpoint
CREATE INDEX "emails_metrics_idx" ON "emails" USING btree ("company_id","placed_at","domain_id","event_types");--> statement-breakpoint
CREATE INDEX "emails_due_idx" ON "emails" USING btree ("due_at","id") WHERE "emails"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "emails_key_due_idx" ON "emails" USING btree ("api_key_id") WHERE "emails"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "suppressions_company_newest_idx" ON "suppressions" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "api_keys_company_newest_idx" ON "api_keys" USING btree ("company_id","created_at","id") WHERE "api_keys"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "domains_company_newest_idx" ON "domains" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "emails_company_newest_idx" ON "emails" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_company_newest_idx" ON "audit_entries" USING btree ("company_id","created_at","id");--> statement-breakpoint
UPDATE "emails" SET "event_types" = "types"."bits" FROM (
	SELECT "email_id", bit_or(1 << array_position(enum_range(NULL::email_event_type), "type") - 1) AS "bits"
	FROM "email_events" GROUP BY "email_id"
) AS "types" WHERE "types"."email_id" = "emails"."id";
--> statement-breakpoint
ALTER TABLE "emails" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
