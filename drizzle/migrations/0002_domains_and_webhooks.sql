CREATE TYPE "public"."domain_record_kind" AS ENUM('ownership', 'spf', 'dkim', 'dmarc', 'mx', 'mta_sts', 'tls_rpt');--> statement-breakpoint
CREATE TYPE "public"."webhook_event_status" AS ENUM('pending', 'attempting', 'success', 'failed');--> statement-breakpoint
CREATE TABLE "domain_claims" (
	"name" text NOT NULL,
	"company_id" uuid NOT NULL,
	"claimed_at" timestamp(6) with time zone,
	"refused_at" timestamp(6) with time zone,
	CONSTRAINT "domain_claims_pkey" PRIMARY KEY("name","company_id")
);
--> statement-breakpoint
CREATE TABLE "domain_findings" (
	"domain_id" uuid NOT NULL,
	"record" "domain_record_kind" NOT NULL,
	"is_verified" boolean DEFAULT false NOT NULL,
	"missing_since" timestamp(6) with time zone,
	"answers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"checked_at" timestamp(6) with time zone NOT NULL,
	CONSTRAINT "domain_findings_pkey" PRIMARY KEY("domain_id","record")
);
--> statement-breakpoint
CREATE TABLE "mta_sts_policies" (
	"domain" text PRIMARY KEY NOT NULL,
	"policy_id" text NOT NULL,
	"mode" text NOT NULL,
	"mx" text[] NOT NULL,
	"max_age_seconds" integer NOT NULL,
	"expires_at" timestamp(6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dmarc_reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"domain_id" uuid NOT NULL,
	"org_name" text NOT NULL,
	"report_id" text NOT NULL,
	"period_start" timestamp(6) with time zone NOT NULL,
	"period_end" timestamp(6) with time zone NOT NULL,
	"policy" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dmarc_sources" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "dmarc_sources_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"report_id" uuid NOT NULL,
	"source_ip" text NOT NULL,
	"messages" integer NOT NULL,
	"disposition" text NOT NULL,
	"dkim" text NOT NULL,
	"spf" text NOT NULL,
	"header_from" text NOT NULL,
	"envelope_from" text,
	"auth" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"reasons" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tls_reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"domain_id" uuid NOT NULL,
	"org_name" text NOT NULL,
	"report_id" text NOT NULL,
	"period_start" timestamp(6) with time zone NOT NULL,
	"period_end" timestamp(6) with time zone NOT NULL,
	"successful" integer NOT NULL,
	"failed" integer NOT NULL,
	"failures" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"event_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"http_status_code" integer,
	"response" text DEFAULT '' NOT NULL,
	"error" text,
	"duration_ms" integer NOT NULL,
	"sent_at" timestamp(6) with time zone NOT NULL,
	CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY("event_id","number")
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"webhook_id" uuid NOT NULL,
	"company_id" uuid NOT NULL,
	"type" text NOT NULL,
	"payload" json NOT NULL,
	"is_test" boolean DEFAULT false NOT NULL,
	"status" "webhook_event_status" DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"scheduled" smallint DEFAULT 0 NOT NULL,
	"is_replay" boolean DEFAULT false NOT NULL,
	"next_attempt_at" timestamp(6) with time zone,
	"lease_until" timestamp(6) with time zone,
	"lease_owner" uuid,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"endpoint" text NOT NULL,
	"events" text[] NOT NULL,
	"status" text DEFAULT 'enabled' NOT NULL,
	"sealed_secret" text NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp(6) with time zone,
	"noticed_at" timestamp(6) with time zone,
	"disabled_for_failures_at" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "emails" DROP CONSTRAINT "emails_domain_id_domains_id_fk";
--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "domains_max" integer;--> statement-breakpoint
ALTER TABLE "domains" ADD COLUMN "checked_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "domain_claims" ADD CONSTRAINT "domain_claims_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domain_findings" ADD CONSTRAINT "domain_findings_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dmarc_reports" ADD CONSTRAINT "dmarc_reports_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dmarc_sources" ADD CONSTRAINT "dmarc_sources_report_id_dmarc_reports_id_fk" FOREIGN KEY ("report_id") REFERENCES "public"."dmarc_reports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tls_reports" ADD CONSTRAINT "tls_reports_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "dmarc_reports_once_key" ON "dmarc_reports" USING btree ("domain_id","org_name","report_id");--> statement-breakpoint
CREATE INDEX "dmarc_reports_domain_period_idx" ON "dmarc_reports" USING btree ("domain_id","period_end");--> statement-breakpoint
CREATE INDEX "dmarc_reports_oldest_idx" ON "dmarc_reports" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "dmarc_sources_report_idx" ON "dmarc_sources" USING btree ("report_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tls_reports_once_key" ON "tls_reports" USING btree ("domain_id","org_name","report_id");--> statement-breakpoint
CREATE INDEX "tls_reports_domain_period_idx" ON "tls_reports" USING btree ("domain_id","period_end");--> statement-breakpoint
CREATE INDEX "tls_reports_oldest_idx" ON "tls_reports" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_events_newest_idx" ON "webhook_events" USING btree ("webhook_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_events_due_idx" ON "webhook_events" USING btree ("webhook_id","next_attempt_at","id") WHERE "webhook_events"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_events_waiting_tests_idx" ON "webhook_events" USING btree ("webhook_id") WHERE "webhook_events"."is_test" and "webhook_events"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_events_failed_idx" ON "webhook_events" USING btree ("webhook_id","created_at","id") WHERE "webhook_events"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "webhook_events_oldest_idx" ON "webhook_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhooks_company_newest_idx" ON "webhooks" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "domains_checked_idx" ON "domains" USING btree ("checked_at");