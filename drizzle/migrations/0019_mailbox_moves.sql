CREATE TABLE "mailbox_moves" (
	"mailbox" text PRIMARY KEY NOT NULL,
	"from_host" text NOT NULL,
	"to_host" text NOT NULL,
	"requested_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"switched_at" timestamp(6) with time zone,
	"copied_at" timestamp(6) with time zone,
	"problem" text
);
--> statement-breakpoint
ALTER TABLE "mailbox_moves" ADD CONSTRAINT "mailbox_moves_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_moves" ADD CONSTRAINT "mailbox_moves_from_host_mail_hosts_name_fk" FOREIGN KEY ("from_host") REFERENCES "public"."mail_hosts"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_moves" ADD CONSTRAINT "mailbox_moves_to_host_mail_hosts_name_fk" FOREIGN KEY ("to_host") REFERENCES "public"."mail_hosts"("name") ON DELETE no action ON UPDATE no action;