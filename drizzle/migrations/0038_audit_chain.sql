CREATE TABLE "audit_heads" (
	"company_id" uuid PRIMARY KEY NOT NULL,
	"signature" text NOT NULL,
	"verified_sequence" bigint DEFAULT 0 NOT NULL,
	"verified_hash" "bytea",
	"verified_at" timestamp(6) with time zone,
	"problem" text
);
--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "sequence" bigint;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "salt" "bytea";--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "content_hash" "bytea";--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "hash" "bytea";--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "erasure" text;--> statement-breakpoint
ALTER TABLE "audit_heads" ADD CONSTRAINT "audit_heads_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Previous version: never writes the sequence, and nulls are distinct.
CREATE UNIQUE INDEX "audit_entries_chain_key" ON "audit_entries" USING btree ("company_id","sequence");