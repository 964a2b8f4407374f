ALTER TYPE "public"."address_kind" ADD VALUE 'inbound';--> statement-breakpoint
ALTER TYPE "public"."deleted_kind" ADD VALUE 'inbound';--> statement-breakpoint
ALTER TYPE "public"."email_event_type" ADD VALUE 'replied';--> statement-breakpoint
ALTER TYPE "public"."email_event_type" ADD VALUE 'auto_replied';--> statement-breakpoint
CREATE TABLE "received_attachments" (
	"email_id" uuid NOT NULL,
	"position" smallint NOT NULL,
	"filename" text,
	"content_type" text NOT NULL,
	"is_inline" boolean NOT NULL,
	"content_id" text,
	"content" "bytea" NOT NULL,
	CONSTRAINT "received_attachments_pkey" PRIMARY KEY("email_id","position")
);
--> statement-breakpoint
CREATE TABLE "received_contents" (
	"email_id" uuid PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL,
	"headers" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"text" text,
	"html" text
);
--> statement-breakpoint
CREATE TABLE "received_emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"sender" text NOT NULL,
	"received_for" text[] NOT NULL,
	"size" integer NOT NULL,
	"spf" text,
	"dkim" text,
	"dmarc" text,
	"is_spam" boolean DEFAULT false NOT NULL,
	"spam_score" real,
	"parsed_at" timestamp(6) with time zone,
	"problem" text,
	"header_from" text DEFAULT '' NOT NULL,
	"to" text[] DEFAULT '{}' NOT NULL,
	"cc" text[] DEFAULT '{}' NOT NULL,
	"bcc" text[] DEFAULT '{}' NOT NULL,
	"reply_to" text[] DEFAULT '{}' NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"message_id" text,
	"replied_email_id" uuid,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "email_events" ADD COLUMN "reply_message_id" text;--> statement-breakpoint
ALTER TABLE "received_attachments" ADD CONSTRAINT "received_attachments_email_id_received_emails_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."received_emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "received_contents" ADD CONSTRAINT "received_contents_email_id_received_emails_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."received_emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "received_emails" ADD CONSTRAINT "received_emails_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "received_emails_company_newest_idx" ON "received_emails" USING btree ("company_id","created_at","id") WHERE "received_emails"."parsed_at" is not null;--> statement-breakpoint
CREATE INDEX "received_emails_usage_idx" ON "received_emails" USING btree ("company_id","created_at","size");--> statement-breakpoint
CREATE INDEX "received_emails_oldest_idx" ON "received_emails" USING btree ("created_at");