CREATE TABLE "failing_members" (
	"group_address" text NOT NULL,
	"member" text NOT NULL,
	"company_id" uuid NOT NULL,
	"dsn" text NOT NULL,
	"reply" text NOT NULL,
	"failing_since" timestamp(6) with time zone NOT NULL,
	"noticed_at" timestamp(6) with time zone,
	CONSTRAINT "failing_members_pkey" PRIMARY KEY("group_address","member")
);
--> statement-breakpoint
CREATE TABLE "forward_suspensions" (
	"mailbox" text NOT NULL,
	"target" text NOT NULL,
	"dsn" text NOT NULL,
	"reply" text NOT NULL,
	"suspended_at" timestamp(6) with time zone NOT NULL,
	"resumed_at" timestamp(6) with time zone,
	CONSTRAINT "forward_suspensions_pkey" PRIMARY KEY("mailbox","target")
);
--> statement-breakpoint
ALTER TABLE "message_recipients" ADD COLUMN "report_id" uuid;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "distribution_id" uuid;--> statement-breakpoint
ALTER TABLE "failing_members" ADD CONSTRAINT "failing_members_group_address_groups_address_fk" FOREIGN KEY ("group_address") REFERENCES "public"."groups"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failing_members" ADD CONSTRAINT "failing_members_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "forward_suspensions" ADD CONSTRAINT "forward_suspensions_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "failing_members_company_idx" ON "failing_members" USING btree ("company_id","noticed_at");--> statement-breakpoint
CREATE INDEX "messages_group_idx" ON "messages" USING btree ("group_address","created_at") WHERE "messages"."group_address" is not null;--> statement-breakpoint
CREATE INDEX "messages_distribution_idx" ON "messages" USING btree ("distribution_id") WHERE "messages"."distribution_id" is not null;--> statement-breakpoint
-- Which report told of earlier failures isn't known. They are not unaccounted for.
UPDATE "message_recipients" r SET "report_id" = m."id" FROM "messages" m
	WHERE m."id" = r."message_id" AND m."origin" = 'forward' AND r."state" IN ('bounced', 'dropped');
