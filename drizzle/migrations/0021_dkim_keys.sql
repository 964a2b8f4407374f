CREATE TYPE "public"."dkim_algorithm" AS ENUM('rsa', 'ed25519');--> statement-breakpoint
CREATE TYPE "public"."dkim_key_state" AS ENUM('active', 'next', 'retired');--> statement-breakpoint
ALTER TYPE "public"."domain_record_kind" ADD VALUE 'dkim_ed25519';--> statement-breakpoint
ALTER TYPE "public"."domain_record_kind" ADD VALUE 'dkim_next';--> statement-breakpoint
ALTER TYPE "public"."domain_record_kind" ADD VALUE 'dkim_ed25519_next';--> statement-breakpoint
ALTER TABLE "dkim_keys" ADD COLUMN "algorithm" "dkim_algorithm" DEFAULT 'rsa' NOT NULL;--> statement-breakpoint
ALTER TABLE "dkim_keys" ADD COLUMN "state" "dkim_key_state" DEFAULT 'active' NOT NULL;--> statement-breakpoint
ALTER TABLE "dkim_keys" ADD COLUMN "seen_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "dkim_keys" ADD COLUMN "retired_at" timestamp(6) with time zone;--> statement-breakpoint
-- The newest key of a domain was the one that signed.
UPDATE "dkim_keys" SET "state" = 'retired', "retired_at" = clock_timestamp() WHERE EXISTS (
  SELECT FROM "dkim_keys" newer WHERE newer."domain_id" = "dkim_keys"."domain_id"
    AND (newer."created_at", newer."id") > ("dkim_keys"."created_at", "dkim_keys"."id"));--> statement-breakpoint
-- A verified domain's key was seen in DNS, unless the domain is the appliance's own, which isn't checked.
UPDATE "dkim_keys" SET "seen_at" = clock_timestamp() WHERE EXISTS (
  SELECT FROM "domains" d WHERE d."id" = "dkim_keys"."domain_id" AND (d."status" = 'verified' OR EXISTS (
    SELECT FROM "domain_findings" f WHERE f."domain_id" = d."id" AND f."record" = 'dkim' AND f."is_verified")));--> statement-breakpoint
CREATE UNIQUE INDEX "dkim_keys_domain_active_key" ON "dkim_keys" USING btree ("domain_id","algorithm") WHERE "dkim_keys"."state" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "dkim_keys_domain_next_key" ON "dkim_keys" USING btree ("domain_id","algorithm") WHERE "dkim_keys"."state" = 'next';--> statement-breakpoint
CREATE INDEX "dkim_keys_active_idx" ON "dkim_keys" USING btree ("created_at") WHERE "dkim_keys"."state" = 'active';