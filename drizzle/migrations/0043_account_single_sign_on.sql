CREATE TABLE "mailbox_identities" (
	"provider_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"mailbox" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "mailbox_identities_pkey" PRIMARY KEY("provider_id","subject")
);
--> statement-breakpoint
ALTER TABLE "mailbox_sessions" ADD COLUMN "provider_id" uuid;--> statement-breakpoint
ALTER TABLE "identity_providers" ADD COLUMN "allows_mailboxes" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "identity_providers" ADD COLUMN "required_for_mailboxes" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "mailbox_identities" ADD CONSTRAINT "mailbox_identities_provider_id_identity_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_identities" ADD CONSTRAINT "mailbox_identities_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "mailbox_identities_mailbox_key" ON "mailbox_identities" USING btree ("mailbox");--> statement-breakpoint
-- Previous version: never writes the column, which stays null.
ALTER TABLE "mailbox_sessions" ADD CONSTRAINT "mailbox_sessions_provider_id_identity_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Previous version: never writes the columns, which stay false.
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_mailboxes_check" CHECK ("identity_providers"."allows_mailboxes" or not "identity_providers"."required_for_mailboxes");