CREATE TABLE "mail_hosts" (
	"name" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"certificate" text NOT NULL,
	"seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "removed_stores" DROP CONSTRAINT "removed_stores_pkey";--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "store_host" text;--> statement-breakpoint
ALTER TABLE "removed_stores" ADD COLUMN "store_host" text;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_store_host_mail_hosts_name_fk" FOREIGN KEY ("store_host") REFERENCES "public"."mail_hosts"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "removed_stores" ADD CONSTRAINT "removed_stores_store_host_mail_hosts_name_fk" FOREIGN KEY ("store_host") REFERENCES "public"."mail_hosts"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mailboxes_store_host_idx" ON "mailboxes" USING btree ("store_host");--> statement-breakpoint
ALTER TABLE "removed_stores" ADD CONSTRAINT "removed_stores_store_key" UNIQUE NULLS NOT DISTINCT("store","store_host");