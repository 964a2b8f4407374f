ALTER TYPE "public"."domain_record_kind" ADD VALUE 'return_path_mx';--> statement-breakpoint
ALTER TYPE "public"."domain_record_kind" ADD VALUE 'return_path_spf';--> statement-breakpoint
ALTER TABLE "domains" ADD COLUMN "return_path" text;