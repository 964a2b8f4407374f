-- Previous version: sorts the list without it, which takes longer.
DROP INDEX "received_emails_company_newest_idx";--> statement-breakpoint
CREATE INDEX "received_emails_company_parsed_idx" ON "received_emails" USING btree ("company_id","parsed_at","id") WHERE "received_emails"."parsed_at" is not null;