CREATE TABLE "alarm_messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"message" jsonb NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alarms" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"severity" text NOT NULL,
	"found" text NOT NULL,
	"advice" text NOT NULL,
	"raised_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"cleared_at" timestamp(6) with time zone
);
--> statement-breakpoint
-- By hand: UNLOGGED, since counters may start over after a crash.
CREATE UNLOGGED TABLE "metric_totals" (
	"name" text NOT NULL,
	"labels" text NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "metric_totals_pkey" PRIMARY KEY("name","labels")
);
--> statement-breakpoint
CREATE TABLE "watch_rounds" (
	"name" text PRIMARY KEY NOT NULL,
	"started_at" timestamp(6) with time zone NOT NULL,
	"finished_at" timestamp(6) with time zone,
	"result" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX "alarm_messages_due_idx" ON "alarm_messages" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE UNIQUE INDEX "alarms_raised_key" ON "alarms" USING btree ("name") WHERE "alarms"."cleared_at" is null;--> statement-breakpoint
CREATE INDEX "alarms_newest_idx" ON "alarms" USING btree ("raised_at");--> statement-breakpoint
-- By hand: queues turn over completely, so dead rows matter, not their share of a table that is large only after a
-- backlog. The outbox has no history, so it is vacuumed without pauses, in milliseconds.
ALTER TABLE "outbox" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 2000);--> statement-breakpoint
ALTER TABLE "message_recipients" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
ALTER TABLE "webhook_events" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
-- A few rows that are updated all the time: by default they would be vacuumed after 50 updates at the earliest, once a
-- minute at most, and grow in between.
ALTER TABLE "sending_totals" SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);--> statement-breakpoint
ALTER TABLE "company_traffic" SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);