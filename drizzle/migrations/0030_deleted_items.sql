CREATE TYPE "public"."deleted_kind" AS ENUM('mailbox', 'alias', 'group', 'domain');--> statement-breakpoint
CREATE TABLE "deleted_items" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"kind" "deleted_kind" NOT NULL,
	"name" text NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"domain_id" uuid NOT NULL,
	"addresses" text[] DEFAULT '{}' NOT NULL,
	"is_reserved" boolean NOT NULL,
	"store" text,
	"store_host" text,
	"storage_bytes" bigint DEFAULT 0 NOT NULL,
	"messages" bigint DEFAULT 0 NOT NULL,
	"contents" jsonb NOT NULL,
	"deleted_by" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "deleted_items_store" CHECK (("deleted_items"."store" is not null) = ("deleted_items"."kind" = 'mailbox'))
);
--> statement-breakpoint
ALTER TABLE "deleted_items" ADD CONSTRAINT "deleted_items_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_items" ADD CONSTRAINT "deleted_items_store_host_mail_hosts_name_fk" FOREIGN KEY ("store_host") REFERENCES "public"."mail_hosts"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deleted_items_company_newest_idx" ON "deleted_items" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deleted_items_domain_idx" ON "deleted_items" USING btree ("domain_id");--> statement-breakpoint
CREATE INDEX "deleted_items_addresses_idx" ON "deleted_items" USING gin ("addresses");--> statement-breakpoint
CREATE INDEX "deleted_items_name_idx" ON "deleted_items" USING btree ("name");--> statement-breakpoint
CREATE INDEX "deleted_items_oldest_idx" ON "deleted_items" USING btree ("created_at");