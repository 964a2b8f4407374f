ALTER TABLE "domains" ADD COLUMN "ownership_missing_since" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "domains" ADD COLUMN "ownership_noticed_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "domains" ADD COLUMN "ownership_lost_at" timestamp(6) with time zone;