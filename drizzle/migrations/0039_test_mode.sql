ALTER TYPE "public"."api_key_permission" ADD VALUE 'test';--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "is_test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "is_test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "emails_test_newest_idx" ON "emails" USING btree ("company_id","created_at","id") WHERE "emails"."is_test";