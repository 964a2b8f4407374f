CREATE TABLE "warm_ups" (
	"subject" text NOT NULL,
	"provider" text NOT NULL,
	"started_on" date NOT NULL,
	"day" date NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"granted" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "warm_ups_pkey" PRIMARY KEY("subject","provider")
);
--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "retry_asked_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "retries_from" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "message_recipients" ADD COLUMN "retry_asked_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "message_recipients" ADD COLUMN "retries_from" timestamp(6) with time zone;