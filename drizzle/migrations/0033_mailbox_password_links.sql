ALTER TABLE "sign_in_steps" ADD COLUMN "mailbox" text;--> statement-breakpoint
-- Previous version: never writes the column, which stays null.
ALTER TABLE "sign_in_steps" ADD CONSTRAINT "sign_in_steps_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sign_in_steps_mailbox_idx" ON "sign_in_steps" USING btree ("mailbox");