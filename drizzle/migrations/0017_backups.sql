CREATE TABLE "backups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"repository" text NOT NULL,
	"started_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"finished_at" timestamp(6) with time zone,
	"proved_at" timestamp(6) with time zone,
	"error" text,
	"messages" integer,
	"total_bytes" bigint,
	"added_bytes" bigint,
	"proof" text
);
--> statement-breakpoint
CREATE INDEX "backups_started_at_idx" ON "backups" USING btree ("started_at");