CREATE TABLE "acme_accounts" (
	"directory_url" text PRIMARY KEY NOT NULL,
	"sealed_private_key" text NOT NULL,
	"account_url" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "acme_challenges" (
	"token" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"answer" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "certificates" (
	"name" text PRIMARY KEY NOT NULL,
	"chain" text,
	"sealed_private_key" text,
	"issued_at" timestamp(6) with time zone,
	"not_after" timestamp(6) with time zone,
	"next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"attempted_at" timestamp(6) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"problem" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "certificates_name_lowercase" CHECK ("certificates"."name" = lower("certificates"."name"))
);
--> statement-breakpoint
CREATE INDEX "acme_challenges_name_idx" ON "acme_challenges" USING btree ("name");--> statement-breakpoint
CREATE INDEX "certificates_due_idx" ON "certificates" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "certificates_issued_idx" ON "certificates" USING btree ("issued_at");