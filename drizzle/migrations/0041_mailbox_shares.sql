CREATE TYPE "public"."share_access" AS ENUM('read', 'write');--> statement-breakpoint
CREATE TABLE "mailbox_shares" (
	"mailbox" text NOT NULL,
	"member" text NOT NULL,
	"access" "share_access" NOT NULL,
	"send_as" boolean NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "mailbox_shares_pkey" PRIMARY KEY("mailbox","member")
);
--> statement-breakpoint
ALTER TABLE "mailbox_shares" ADD CONSTRAINT "mailbox_shares_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_shares" ADD CONSTRAINT "mailbox_shares_member_addresses_address_fk" FOREIGN KEY ("member") REFERENCES "public"."addresses"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mailbox_shares_member_idx" ON "mailbox_shares" USING btree ("member");--> statement-breakpoint
CREATE VIEW "public"."mailbox_viewers" AS (
  select v.address as viewer, s.mailbox,
    bool_or(s.access = 'write') as can_write, bool_or(s.send_as) as can_send_as,
    bool_and(m.store_host is not distinct from v.store_host) as is_near
  from mailboxes v cross join lateral (
      with recursive up as (
        (select v.address union all select l.address from aliases l where l.mailbox = v.address and l.active)
        union
        select g.address from up
          join group_members gm on gm.member = up.address
          join groups g on g.address = gm.group_address and g.active and g.company_id = v.company_id
      )
      select up.address from up
    ) own
    join mailbox_shares s on s.member = own.address and s.mailbox <> v.address
    join mailboxes m on m.address = s.mailbox and m.company_id = v.company_id
  group by v.address, s.mailbox);--> statement-breakpoint
-- Always empty. Dovecot writes the rights of shared folders to it, which follow from mailbox_shares.
CREATE VIEW "public"."ignored_shares" AS (select ''::text as viewer, ''::text as mailbox, ''::text as can_write where false);--> statement-breakpoint
CREATE RULE "ignored_shares_insert" AS ON INSERT TO "public"."ignored_shares" DO INSTEAD NOTHING;--> statement-breakpoint
CREATE RULE "ignored_shares_delete" AS ON DELETE TO "public"."ignored_shares" DO INSTEAD NOTHING;
