ALTER TABLE "email_events" ADD COLUMN "server" text;--> statement-breakpoint
ALTER TABLE "email_events" ADD COLUMN "server_address" text;--> statement-breakpoint
ALTER TABLE "email_events" ADD COLUMN "message_hash" "bytea";