ALTER TYPE "public"."domain_record_kind" ADD VALUE 'tracking';--> statement-breakpoint
ALTER TYPE "public"."email_event_type" ADD VALUE 'unsubscribed';--> statement-breakpoint
ALTER TABLE "domains" ADD COLUMN "one_click_unsubscribe" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "domains" ADD COLUMN "tracking_subdomain" text;