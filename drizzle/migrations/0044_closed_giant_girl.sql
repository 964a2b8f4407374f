ALTER TABLE "sign_in_attempts" ADD COLUMN "check_key" text;--> statement-breakpoint
ALTER TABLE "sign_in_attempts" ADD COLUMN "credential" text;--> statement-breakpoint
CREATE INDEX "sign_in_attempts_check_key_idx" ON "sign_in_attempts" USING btree ("check_key") WHERE "sign_in_attempts"."check_key" is not null;