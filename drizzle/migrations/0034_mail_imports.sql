CREATE TABLE "mail_import_batches" (
	"folder_id" uuid NOT NULL,
	"first_uid" bigint NOT NULL,
	"source_uids" text NOT NULL,
	"target_uids" text NOT NULL,
	"flags" text[] NOT NULL,
	CONSTRAINT "mail_import_batches_pkey" PRIMARY KEY("folder_id","first_uid")
);
--> statement-breakpoint
CREATE TABLE "mail_import_errors" (
	"folder_id" uuid NOT NULL,
	"uid" bigint NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "mail_import_errors_pkey" PRIMARY KEY("folder_id","uid")
);
--> statement-breakpoint
CREATE TABLE "mail_import_folders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"import_id" uuid NOT NULL,
	"source" text NOT NULL,
	"target" text NOT NULL,
	"source_uid_validity" text,
	"target_uid_validity" text,
	"messages_total" integer DEFAULT 0 NOT NULL,
	"messages_done" integer DEFAULT 0 NOT NULL,
	"finished_at" timestamp(6) with time zone,
	CONSTRAINT "mail_import_folders_source_key" UNIQUE("import_id","source")
);
--> statement-breakpoint
CREATE TABLE "mail_imports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"mailbox" text NOT NULL,
	"host" text NOT NULL,
	"port" integer NOT NULL,
	"security" text NOT NULL,
	"account" text NOT NULL,
	"secret_kind" text NOT NULL,
	"sealed_secret" text,
	"keeps_secret" boolean NOT NULL,
	"allows_private_host" boolean DEFAULT false NOT NULL,
	"state" text NOT NULL,
	"problem" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"leased_by" uuid,
	"pass_started_at" timestamp(6) with time zone,
	"finished_at" timestamp(6) with time zone,
	"messages_total" integer DEFAULT 0 NOT NULL,
	"messages_done" integer DEFAULT 0 NOT NULL,
	"messages_before" integer DEFAULT 0 NOT NULL,
	"messages_imported" integer DEFAULT 0 NOT NULL,
	"bytes_imported" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "mail_imports_source_key" UNIQUE("mailbox","host","account")
);
--> statement-breakpoint
ALTER TABLE "mail_import_batches" ADD CONSTRAINT "mail_import_batches_folder_id_mail_import_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."mail_import_folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_import_errors" ADD CONSTRAINT "mail_import_errors_folder_id_mail_import_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."mail_import_folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_import_folders" ADD CONSTRAINT "mail_import_folders_import_id_mail_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."mail_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_imports" ADD CONSTRAINT "mail_imports_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_imports" ADD CONSTRAINT "mail_imports_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_imports_company_idx" ON "mail_imports" USING btree ("company_id","created_at");--> statement-breakpoint
CREATE INDEX "mail_imports_due_idx" ON "mail_imports" USING btree ("next_attempt_at") WHERE state in ('queued', 'running');