CREATE TABLE "mailbox_passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"mailbox" text NOT NULL,
	"name" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint DEFAULT 0 NOT NULL,
	"transports" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "mailbox_recovery_codes" (
	"mailbox" text NOT NULL,
	"code_hash" text NOT NULL,
	"used_at" timestamp(6) with time zone,
	CONSTRAINT "mailbox_recovery_codes_pkey" PRIMARY KEY("mailbox","code_hash")
);
--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "totp_secret" text;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "totp_last_step" bigint;--> statement-breakpoint
ALTER TABLE "sign_in_networks" ADD COLUMN "second_factor_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "mailbox_passkeys" ADD CONSTRAINT "mailbox_passkeys_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_recovery_codes" ADD CONSTRAINT "mailbox_recovery_codes_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mailbox_passkeys_mailbox_idx" ON "mailbox_passkeys" USING btree ("mailbox","created_at");