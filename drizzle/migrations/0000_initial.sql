CREATE TYPE "public"."address_kind" AS ENUM('mailbox', 'alias', 'group', 'inbound');--> statement-breakpoint
CREATE TYPE "public"."api_key_permission" AS ENUM('full_access', 'sending_access', 'test');--> statement-breakpoint
CREATE TYPE "public"."deleted_kind" AS ENUM('mailbox', 'alias', 'group', 'domain', 'inbound');--> statement-breakpoint
CREATE TYPE "public"."dkim_algorithm" AS ENUM('rsa', 'ed25519');--> statement-breakpoint
CREATE TYPE "public"."dkim_key_state" AS ENUM('active', 'next', 'retired');--> statement-breakpoint
CREATE TYPE "public"."domain_record_kind" AS ENUM('ownership', 'spf', 'dkim', 'dmarc', 'mx', 'mta_sts', 'tls_rpt', 'return_path_mx', 'return_path_spf', 'dkim_ed25519', 'dkim_next', 'dkim_ed25519_next', 'tracking');--> statement-breakpoint
CREATE TYPE "public"."domain_status" AS ENUM('not_started', 'pending', 'partially_verified', 'verified');--> statement-breakpoint
CREATE TYPE "public"."email_event_type" AS ENUM('scheduled', 'queued', 'sent', 'delivered', 'delivery_delayed', 'bounced', 'failed', 'canceled', 'suppressed', 'opened', 'clicked', 'unsubscribed', 'replied', 'auto_replied');--> statement-breakpoint
CREATE TYPE "public"."group_moderation" AS ENUM('none', 'strangers', 'all');--> statement-breakpoint
CREATE TYPE "public"."group_posting" AS ENUM('anyone', 'company', 'members', 'listed');--> statement-breakpoint
CREATE TYPE "public"."group_replies" AS ENUM('author', 'group');--> statement-breakpoint
CREATE TYPE "public"."app_password_scope" AS ENUM('all', 'mail', 'calendar');--> statement-breakpoint
CREATE TYPE "public"."share_access" AS ENUM('read', 'write');--> statement-breakpoint
CREATE TYPE "public"."message_origin" AS ENUM('submission', 'forward', 'vacation', 'group', 'incoming', 'report');--> statement-breakpoint
CREATE TYPE "public"."message_recipient_state" AS ENUM('queued', 'held', 'delivered', 'bounced', 'dropped');--> statement-breakpoint
CREATE TYPE "public"."quarantine_reason" AS ENUM('spam', 'virus', 'moderation');--> statement-breakpoint
CREATE TYPE "public"."mail_log_kind" AS ENUM('received', 'refused', 'submitted', 'sign_in_failed');--> statement-breakpoint
CREATE TYPE "public"."webhook_event_status" AS ENUM('pending', 'attempting', 'success', 'failed');--> statement-breakpoint
CREATE TABLE "addresses" (
	"address" text PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"domain_id" uuid NOT NULL,
	"kind" "address_kind" NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "addresses_lowercase" CHECK ("addresses"."address" = lower("addresses"."address"))
);
--> statement-breakpoint
CREATE TABLE "aliases" (
	"address" text PRIMARY KEY NOT NULL,
	"mailbox" text NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"creator_id" uuid,
	"name" text NOT NULL,
	"permission" "api_key_permission" DEFAULT 'full_access' NOT NULL,
	"domain_id" uuid,
	"prefix" text NOT NULL,
	"secret_hash" text NOT NULL,
	"allowed_addresses" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp(6) with time zone,
	"revoked_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "acme_accounts" (
	"directory_url" text PRIMARY KEY NOT NULL,
	"sealed_private_key" text NOT NULL,
	"account_url" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "acme_challenges" (
	"token" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"answer" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "certificates" (
	"name" text PRIMARY KEY NOT NULL,
	"chain" text,
	"sealed_private_key" text,
	"issued_at" timestamp(6) with time zone,
	"not_after" timestamp(6) with time zone,
	"next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"attempted_at" timestamp(6) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"problem" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "certificates_name_lowercase" CHECK ("certificates"."name" = lower("certificates"."name"))
);
--> statement-breakpoint
CREATE TABLE "admins" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"email" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"is_owner" boolean DEFAULT false NOT NULL,
	"privileges" text[] DEFAULT '{}' NOT NULL,
	"disabled_at" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "companies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"purpose" text DEFAULT 'customer' NOT NULL,
	"service_enabled" boolean DEFAULT true NOT NULL,
	"subscription_active" boolean DEFAULT true NOT NULL,
	"suspended_at" timestamp(6) with time zone,
	"overdue_invoice" jsonb,
	"allowed_addresses" text[] DEFAULT '{}' NOT NULL,
	"monthly_allowance" integer,
	"domains_max" integer,
	"mailboxes_max" integer,
	"quota_mb_max" integer,
	"default_quota_mb" integer DEFAULT 5120 NOT NULL,
	"greylisting" boolean DEFAULT false NOT NULL,
	"logs_request_bodies" boolean DEFAULT true NOT NULL,
	"outgoing_scan" text DEFAULT 'off' NOT NULL,
	"plan_id" uuid,
	"second_factor_required" boolean DEFAULT false NOT NULL,
	"language" text DEFAULT 'en' NOT NULL,
	"session_hours_max" integer DEFAULT 336 NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "companies_name_check" CHECK (length("companies"."name") between 1 and 200)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp(6) with time zone,
	"client_address" text,
	"user_agent" text,
	"provider_id" uuid
);
--> statement-breakpoint
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
CREATE TABLE "dkim_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"domain_id" uuid NOT NULL,
	"selector" text NOT NULL,
	"algorithm" "dkim_algorithm" DEFAULT 'rsa' NOT NULL,
	"state" "dkim_key_state" DEFAULT 'active' NOT NULL,
	"sealed_private_key" text NOT NULL,
	"public_key" text NOT NULL,
	"seen_at" timestamp(6) with time zone,
	"retired_at" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "domain_claims" (
	"name" text NOT NULL,
	"company_id" uuid NOT NULL,
	"claimed_at" timestamp(6) with time zone,
	"refused_at" timestamp(6) with time zone,
	CONSTRAINT "domain_claims_pkey" PRIMARY KEY("name","company_id")
);
--> statement-breakpoint
CREATE TABLE "domain_findings" (
	"domain_id" uuid NOT NULL,
	"record" "domain_record_kind" NOT NULL,
	"is_verified" boolean DEFAULT false NOT NULL,
	"missing_since" timestamp(6) with time zone,
	"answers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"checked_at" timestamp(6) with time zone NOT NULL,
	CONSTRAINT "domain_findings_pkey" PRIMARY KEY("domain_id","record")
);
--> statement-breakpoint
CREATE TABLE "domains" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"name" text NOT NULL,
	"status" "domain_status" DEFAULT 'not_started' NOT NULL,
	"ownership_token" text NOT NULL,
	"ownership_proven_at" timestamp(6) with time zone,
	"ownership_missing_since" timestamp(6) with time zone,
	"ownership_noticed_at" timestamp(6) with time zone,
	"ownership_lost_at" timestamp(6) with time zone,
	"open_tracking" boolean DEFAULT false NOT NULL,
	"click_tracking" boolean DEFAULT false NOT NULL,
	"one_click_unsubscribe" boolean DEFAULT false NOT NULL,
	"tracking_subdomain" text,
	"return_path" text,
	"checked_at" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "domains_name_lowercase" CHECK ("domains"."name" = lower("domains"."name"))
);
--> statement-breakpoint
CREATE TABLE "email_attachments" (
	"email_id" uuid NOT NULL,
	"position" smallint NOT NULL,
	"filename" text,
	"content_type" text,
	"content_id" text,
	"content" "bytea" NOT NULL,
	CONSTRAINT "email_attachments_pkey" PRIMARY KEY("email_id","position")
);
--> statement-breakpoint
CREATE TABLE "email_bodies" (
	"email_id" uuid PRIMARY KEY NOT NULL,
	"address_headers" jsonb NOT NULL,
	"html" text,
	"text" text,
	"headers" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"source" "bytea",
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "email_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "email_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"email_id" uuid NOT NULL,
	"company_id" uuid NOT NULL,
	"type" "email_event_type" NOT NULL,
	"recipient" text,
	"dsn" text,
	"message" text,
	"reason" text,
	"tls" text,
	"server" text,
	"server_address" text,
	"message_hash" "bytea",
	"link" text,
	"ip_address" text,
	"user_agent" text,
	"reply_message_id" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"domain_id" uuid,
	"api_key_id" uuid,
	"sent_by_admin_id" uuid,
	"message_id" text,
	"from" text NOT NULL,
	"subject" text NOT NULL,
	"to" text[] NOT NULL,
	"cc" text[] DEFAULT '{}' NOT NULL,
	"bcc" text[] DEFAULT '{}' NOT NULL,
	"reply_to" text[] DEFAULT '{}' NOT NULL,
	"tags" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"last_event" "email_event_type" NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"sent_at" timestamp(6) with time zone,
	"scheduled_at" timestamp(6) with time zone,
	"due_at" timestamp(6) with time zone,
	"event_types" integer DEFAULT 0 NOT NULL,
	"placed_at" timestamp(6) with time zone GENERATED ALWAYS AS (coalesce(sent_at, created_at)) STORED NOT NULL,
	"open_tracking" boolean DEFAULT false NOT NULL,
	"click_tracking" boolean DEFAULT false NOT NULL,
	"size" integer DEFAULT 0 NOT NULL,
	"is_test" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "suppressions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"email" text NOT NULL,
	"origin" text NOT NULL,
	"source_id" uuid,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "suppressions_email_lowercase" CHECK ("suppressions"."email" = lower("suppressions"."email"))
);
--> statement-breakpoint
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
CREATE TABLE "group_members" (
	"group_address" text NOT NULL,
	"member" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "group_members_pkey" PRIMARY KEY("group_address","member")
);
--> statement-breakpoint
CREATE TABLE "group_units" (
	"group_address" text NOT NULL,
	"org_unit_id" integer NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "group_units_pkey" PRIMARY KEY("group_address","org_unit_id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"address" text PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"posting" "group_posting" DEFAULT 'anyone' NOT NULL,
	"posters" text[] DEFAULT '{}' NOT NULL,
	"moderation" "group_moderation" DEFAULT 'none' NOT NULL,
	"moderators" text[] DEFAULT '{}' NOT NULL,
	"replies" "group_replies" DEFAULT 'author' NOT NULL,
	"members_send_as" boolean DEFAULT false NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"actor" text NOT NULL,
	"actor_kind" text DEFAULT 'system' NOT NULL,
	"action" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"sequence" bigint,
	"seal" "bytea"
);
--> statement-breakpoint
CREATE TABLE "audit_seals" (
	"company_id" uuid PRIMARY KEY NOT NULL,
	"first" bigint NOT NULL,
	"last" bigint NOT NULL,
	"seal" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "instance" (
	"is_only_row" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"key_fingerprint" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "instance_one_row" CHECK ("instance"."is_only_row")
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "company_traffic" (
	"company_id" uuid PRIMARY KEY NOT NULL,
	"hits" bigint[] DEFAULT '{}' NOT NULL,
	"hit_counts" integer[] DEFAULT '{}' NOT NULL,
	"in_progress" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"counted" integer DEFAULT 0 NOT NULL,
	"admitted" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"company_id" uuid NOT NULL,
	"endpoint" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"process_id" uuid NOT NULL,
	"lock_id" uuid,
	"answer" jsonb,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY("company_id","endpoint","key")
);
--> statement-breakpoint
CREATE TABLE "large_bodies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"process_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "request_bodies" (
	"company_id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"request_id" uuid NOT NULL,
	"body" text NOT NULL,
	"size" integer NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "request_bodies_pkey" PRIMARY KEY("api_key_id","request_id")
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"method" text NOT NULL,
	"endpoint" text NOT NULL,
	"response_status" smallint NOT NULL,
	"error" text,
	"message" text,
	"duration_ms" real,
	"client_address" text,
	"user_agent" text,
	"api_key_id" uuid,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sending_seconds" (
	"scope" uuid NOT NULL,
	"second" bigint NOT NULL,
	"recipients" integer NOT NULL,
	CONSTRAINT "sending_seconds_pkey" PRIMARY KEY("scope","second")
);
--> statement-breakpoint
CREATE TABLE "sending_totals" (
	"scope" uuid PRIMARY KEY NOT NULL,
	"hour_recipients" bigint DEFAULT 0 NOT NULL,
	"month" text DEFAULT '' NOT NULL,
	"month_recipients" bigint DEFAULT 0 NOT NULL,
	"scheduled_recipients" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sign_in_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"email" text NOT NULL,
	"source" text NOT NULL,
	"password_mark" text,
	"check_key" text,
	"credential" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "warm_ups" (
	"subject" text NOT NULL,
	"provider" text NOT NULL,
	"started_on" date NOT NULL,
	"day" date NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"granted" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "warm_ups_pkey" PRIMARY KEY("subject","provider")
);
--> statement-breakpoint
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
	"progressed_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
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
CREATE TABLE "app_passwords" (
	"id" uuid PRIMARY KEY NOT NULL,
	"mailbox" text NOT NULL,
	"name" text NOT NULL,
	"scope" "app_password_scope" DEFAULT 'all' NOT NULL,
	"secret_hash" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp(6) with time zone,
	"last_used_for" text,
	"last_used_from" text
);
--> statement-breakpoint
CREATE TABLE "forward_confirmations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"mailbox" text NOT NULL,
	"target" text NOT NULL,
	"written" text NOT NULL,
	"requested_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"requests" integer DEFAULT 1 NOT NULL,
	"is_from_script" boolean NOT NULL,
	"confirmed_at" timestamp(6) with time zone,
	"declined_at" timestamp(6) with time zone
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
CREATE TABLE "mailbox_contacts" (
	"mailbox" text NOT NULL,
	"contact" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "mailbox_contacts_pkey" PRIMARY KEY("mailbox","contact")
);
--> statement-breakpoint
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
CREATE TABLE "mailbox_rules" (
	"mailbox" text PRIMARY KEY NOT NULL,
	"forward_to" text[] DEFAULT '{}' NOT NULL,
	"keep_copy" boolean DEFAULT true NOT NULL,
	"vacation" jsonb,
	"filters" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"script" text DEFAULT '' NOT NULL,
	"script_id" text NOT NULL,
	"updated_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mailbox_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"client_address" text,
	"user_agent" text,
	"provider_id" uuid,
	"webmail_until" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "mailbox_shares" (
	"mailbox" text NOT NULL,
	"member" text NOT NULL,
	"access" "share_access" NOT NULL,
	"send_as" boolean NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "mailbox_shares_pkey" PRIMARY KEY("mailbox","member")
);
--> statement-breakpoint
CREATE TABLE "sign_in_networks" (
	"account" text NOT NULL,
	"network" text NOT NULL,
	"first_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"second_factor_at" timestamp(6) with time zone,
	CONSTRAINT "sign_in_networks_pkey" PRIMARY KEY("account","network")
);
--> statement-breakpoint
CREATE TABLE "mailbox_import_lines" (
	"import_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"number" integer NOT NULL,
	"address" text NOT NULL,
	"name" text NOT NULL,
	"quota_mb" integer,
	"org_unit_id" integer,
	"aliases" text[] NOT NULL,
	"private_address" text,
	"state" text NOT NULL,
	"problem" text,
	"sealed_password" text,
	CONSTRAINT "mailbox_import_lines_pkey" PRIMARY KEY("import_id","position")
);
--> statement-breakpoint
CREATE TABLE "mailbox_imports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"admin_id" uuid,
	"started_by" text NOT NULL,
	"is_confined" boolean NOT NULL,
	"state" text NOT NULL,
	"problem" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"finished_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "full_mailboxes" (
	"address" text PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"is_full" boolean NOT NULL,
	"noticed_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "mail_hosts" (
	"name" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"certificate" text NOT NULL,
	"seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "mailbox_sign_ins" (
	"address" text PRIMARY KEY NOT NULL,
	"last_sign_in" bigint DEFAULT 0 NOT NULL,
	"last_pop3" bigint DEFAULT 0 NOT NULL,
	"last_account" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mailbox_usage" (
	"address" text PRIMARY KEY NOT NULL,
	"used_bytes" bigint DEFAULT 0 NOT NULL,
	"messages" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mailboxes" (
	"address" text PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"domain_id" uuid NOT NULL,
	"org_unit_id" integer NOT NULL,
	"name" text NOT NULL,
	"password_hash" text NOT NULL,
	"quota_mb" integer NOT NULL,
	"store" text NOT NULL,
	"store_host" text,
	"suspended_at" timestamp(6) with time zone,
	"force_password_change" boolean DEFAULT false NOT NULL,
	"sending_held_at" timestamp(6) with time zone,
	"language" text,
	"totp_secret" text,
	"totp_last_step" bigint,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "mailboxes_address_lowercase" CHECK ("mailboxes"."address" = lower("mailboxes"."address"))
);
--> statement-breakpoint
CREATE TABLE "removed_stores" (
	"store" text NOT NULL,
	"store_host" text,
	"address" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "removed_stores_store_key" UNIQUE NULLS NOT DISTINCT("store","store_host")
);
--> statement-breakpoint
CREATE TABLE "greylist" (
	"network" text NOT NULL,
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"first_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"passed_at" timestamp(6) with time zone,
	"last_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "greylist_pkey" PRIMARY KEY("network","sender","recipient")
);
--> statement-breakpoint
CREATE TABLE "message_contents" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_delays" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "message_delays_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" uuid NOT NULL,
	"company_id" uuid NOT NULL,
	"recipient" text NOT NULL,
	"dsn" text NOT NULL,
	"reply" text NOT NULL,
	"tls" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_recipients" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "message_recipients_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" uuid NOT NULL,
	"company_id" uuid NOT NULL,
	"recipient" text NOT NULL,
	"destination" text NOT NULL,
	"state" "message_recipient_state" DEFAULT 'queued' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"lease_until" timestamp(6) with time zone,
	"lease_owner" uuid,
	"was_abandoned" boolean DEFAULT false NOT NULL,
	"retry_asked_at" timestamp(6) with time zone,
	"retries_from" timestamp(6) with time zone,
	"dsn" text,
	"reply" text,
	"tls" text,
	"notify" text[],
	"original_recipient" text,
	"delay_told_at" timestamp(6) with time zone,
	"settled_at" timestamp(6) with time zone,
	"report_id" uuid,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"origin" "message_origin" NOT NULL,
	"mailbox" text,
	"group_address" text,
	"distribution_id" uuid,
	"sender" text NOT NULL,
	"is_sender_told" boolean NOT NULL,
	"signing_domain_id" uuid,
	"header_from" text DEFAULT '' NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"message_id" text,
	"size" integer NOT NULL,
	"recipient_count" integer NOT NULL,
	"client_address" text,
	"envelope_id" text,
	"return_full" boolean DEFAULT true NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quarantine" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"reason" "quarantine_reason" NOT NULL,
	"sender" text NOT NULL,
	"recipients" text[] NOT NULL,
	"header_from" text DEFAULT '' NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"client_address" text,
	"score" real,
	"findings" text[] DEFAULT '{}' NOT NULL,
	"size" integer NOT NULL,
	"released_as" uuid,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quarantine_contents" (
	"quarantine_id" uuid PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notice_posts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"settings_id" uuid NOT NULL,
	"content" jsonb NOT NULL,
	"posted_at" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_settings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"company_id" uuid,
	"email_off" text[] DEFAULT '{}' NOT NULL,
	"url_off" text[] DEFAULT '{}' NOT NULL,
	"sealed_url" text,
	"url_format" text DEFAULT 'slack' NOT NULL,
	"url_failures" integer DEFAULT 0 NOT NULL,
	"url_failing_since" timestamp(6) with time zone,
	"url_error" text,
	"url_posted_at" timestamp(6) with time zone,
	"url_next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "notification_settings_key" UNIQUE NULLS NOT DISTINCT("email","company_id")
);
--> statement-breakpoint
CREATE TABLE "quarantine_digests" (
	"mailbox" text PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"listed_until" timestamp(6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alarm_messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"message" jsonb NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alarms" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"severity" text NOT NULL,
	"found" text NOT NULL,
	"advice" text NOT NULL,
	"raised_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"cleared_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "backups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"repository" text NOT NULL,
	"started_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"finished_at" timestamp(6) with time zone,
	"proved_at" timestamp(6) with time zone,
	"error" text,
	"messages" integer,
	"total_bytes" bigint,
	"added_bytes" bigint,
	"proof" text
);
--> statement-breakpoint
CREATE TABLE "delivery_blocks" (
	"destination" text PRIMARY KEY NOT NULL,
	"host" text,
	"reply" text NOT NULL,
	"first_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "destination_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"throttle" text NOT NULL,
	"reply" text NOT NULL,
	"dsn" text NOT NULL,
	"host" text,
	"changed_at" timestamp(6) with time zone NOT NULL,
	"suspended_until" timestamp(6) with time zone NOT NULL,
	"level" integer NOT NULL,
	"connections" integer,
	"per_minute" double precision
);
--> statement-breakpoint
CREATE TABLE "mail_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mail_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" "mail_log_kind" NOT NULL,
	"company_id" uuid,
	"client_address" "inet",
	"helo" text,
	"sender" text,
	"recipient" text,
	"size" integer,
	"message_id" text,
	"reply" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "metric_totals" (
	"name" text NOT NULL,
	"labels" text NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "metric_totals_pkey" PRIMARY KEY("name","labels")
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"monthly_allowance" integer,
	"domains_max" integer,
	"mailboxes_max" integer,
	"quota_mb_max" integer,
	"default_quota_mb" integer DEFAULT 5120 NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "processes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"version" text NOT NULL,
	"facts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"started_at" timestamp(6) with time zone NOT NULL,
	"alive_until" timestamp(6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "queue_holds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"held_by" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "system_checks" (
	"name" text PRIMARY KEY NOT NULL,
	"state" text,
	"found" text DEFAULT '' NOT NULL,
	"advice" text,
	"command" text,
	"started_at" timestamp(6) with time zone NOT NULL,
	"checked_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "watch_rounds" (
	"name" text PRIMARY KEY NOT NULL,
	"started_at" timestamp(6) with time zone NOT NULL,
	"finished_at" timestamp(6) with time zone,
	"result" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "org_units" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "org_units_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" uuid NOT NULL,
	"parent_id" integer,
	"name" text NOT NULL,
	"default_quota_mb" integer,
	"imap_allowed" boolean,
	"pop3_allowed" boolean,
	"submission_allowed" boolean,
	"calendar_allowed" boolean,
	"outside_allowed" boolean,
	"forwarding" text,
	"app_passwords_allowed" boolean,
	"password_length_min" integer,
	"quarantine_digest" text,
	"quarantine_release" text,
	"full_text_search" text,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "org_units_name_check" CHECK (length("org_units"."name") between 1 and 120)
);
--> statement-breakpoint
CREATE TABLE "mta_sts_policies" (
	"domain" text PRIMARY KEY NOT NULL,
	"policy_id" text NOT NULL,
	"mode" text NOT NULL,
	"mx" text[] NOT NULL,
	"max_age_seconds" integer NOT NULL,
	"expires_at" timestamp(6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"email_id" uuid NOT NULL,
	"company_id" uuid,
	"recipient" text NOT NULL,
	"destination" text NOT NULL,
	"priority" smallint DEFAULT 0 NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"lease_until" timestamp(6) with time zone,
	"lease_owner" uuid,
	"was_abandoned" boolean DEFAULT false NOT NULL,
	"retry_asked_at" timestamp(6) with time zone,
	"retries_from" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "admin_roles" (
	"admin_id" uuid NOT NULL,
	"role_id" uuid NOT NULL,
	CONSTRAINT "admin_roles_pkey" PRIMARY KEY("admin_id","role_id")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"email" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"is_owner" boolean DEFAULT false NOT NULL,
	"role_ids" uuid[] DEFAULT '{}' NOT NULL,
	"token_hash" text NOT NULL,
	"copied_token_hash" text NOT NULL,
	"invited_by" text NOT NULL,
	"inviter_kind" text DEFAULT 'admin' NOT NULL,
	"expires_at" timestamp(6) with time zone NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "invitations_email_lowercase" CHECK ("invitations"."email" = lower("invitations"."email"))
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint DEFAULT 0 NOT NULL,
	"transports" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE "people" (
	"email" text PRIMARY KEY NOT NULL,
	"password_hash" text,
	"is_operator" boolean DEFAULT false NOT NULL,
	"email_proven_at" timestamp(6) with time zone,
	"totp_secret" text,
	"totp_last_step" bigint,
	"last_company_id" uuid,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "people_email_lowercase" CHECK ("people"."email" = lower("people"."email"))
);
--> statement-breakpoint
CREATE TABLE "preferences" (
	"email" text PRIMARY KEY NOT NULL,
	"choices" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"email" text NOT NULL,
	"code_hash" text NOT NULL,
	"used_at" timestamp(6) with time zone,
	CONSTRAINT "recovery_codes_pkey" PRIMARY KEY("email","code_hash")
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"name" text NOT NULL,
	"privileges" text[] DEFAULT '{}' NOT NULL,
	"org_unit_id" integer,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_steps" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"email" text,
	"mailbox" text,
	"secret" text,
	"provider_id" uuid,
	"failures" bigint DEFAULT 0 NOT NULL,
	"expires_at" timestamp(6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "received_attachments" (
	"email_id" uuid NOT NULL,
	"position" smallint NOT NULL,
	"filename" text,
	"content_type" text NOT NULL,
	"is_inline" boolean,
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
CREATE TABLE "dmarc_counts" (
	"day" date NOT NULL,
	"domain" text NOT NULL,
	"source_ip" text NOT NULL,
	"result" text NOT NULL,
	"messages" integer NOT NULL,
	CONSTRAINT "dmarc_counts_pkey" PRIMARY KEY("day","domain","source_ip","result")
);
--> statement-breakpoint
CREATE TABLE "dmarc_reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"domain_id" uuid NOT NULL,
	"org_name" text NOT NULL,
	"report_id" text NOT NULL,
	"period_start" timestamp(6) with time zone NOT NULL,
	"period_end" timestamp(6) with time zone NOT NULL,
	"policy" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dmarc_sources" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "dmarc_sources_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"report_id" uuid NOT NULL,
	"source_ip" text NOT NULL,
	"messages" integer NOT NULL,
	"disposition" text NOT NULL,
	"dkim" text NOT NULL,
	"spf" text NOT NULL,
	"header_from" text NOT NULL,
	"envelope_from" text,
	"auth" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"reasons" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tls_reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"domain_id" uuid NOT NULL,
	"org_name" text NOT NULL,
	"report_id" text NOT NULL,
	"period_start" timestamp(6) with time zone NOT NULL,
	"period_end" timestamp(6) with time zone NOT NULL,
	"successful" integer NOT NULL,
	"failed" integer NOT NULL,
	"failures" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tls_session_counts" (
	"day" date NOT NULL,
	"domain" text NOT NULL,
	"policy" text NOT NULL,
	"host" text NOT NULL,
	"failure" text NOT NULL,
	"sending_ip" text DEFAULT '' NOT NULL,
	"receiving_ip" text DEFAULT '' NOT NULL,
	"records" text DEFAULT '' NOT NULL,
	"sessions" integer NOT NULL,
	CONSTRAINT "tls_session_counts_pkey" PRIMARY KEY("day","domain","policy","host","failure","sending_ip","receiving_ip")
);
--> statement-breakpoint
CREATE TABLE "admin_identities" (
	"provider_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"admin_id" uuid NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "admin_identities_pkey" PRIMARY KEY("provider_id","subject")
);
--> statement-breakpoint
CREATE TABLE "identity_providers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"sealed_client_secret" text NOT NULL,
	"required_for_admins" boolean DEFAULT false NOT NULL,
	"allows_mailboxes" boolean DEFAULT false NOT NULL,
	"required_for_mailboxes" boolean DEFAULT false NOT NULL,
	"is_second_factor" boolean DEFAULT false NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "identity_providers_mailboxes_check" CHECK ("identity_providers"."allows_mailboxes" or not "identity_providers"."required_for_mailboxes")
);
--> statement-breakpoint
CREATE TABLE "mailbox_identities" (
	"provider_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"mailbox" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "mailbox_identities_pkey" PRIMARY KEY("provider_id","subject")
);
--> statement-breakpoint
CREATE TABLE "template_versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"template_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"subject" text,
	"from" text,
	"reply_to" text[],
	"html" text NOT NULL,
	"text" text,
	"variables" json NOT NULL,
	"published_at" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "templates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"name" text NOT NULL,
	"alias" text,
	"current_version_id" uuid NOT NULL,
	"published_version_id" uuid,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"event_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"http_status_code" integer,
	"response" text DEFAULT '' NOT NULL,
	"error" text,
	"duration_ms" integer NOT NULL,
	"sent_at" timestamp(6) with time zone NOT NULL,
	CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY("event_id","number")
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"webhook_id" uuid NOT NULL,
	"company_id" uuid NOT NULL,
	"type" text NOT NULL,
	"payload" json NOT NULL,
	"is_test" boolean DEFAULT false NOT NULL,
	"status" "webhook_event_status" DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"scheduled" smallint DEFAULT 0 NOT NULL,
	"is_replay" boolean DEFAULT false NOT NULL,
	"next_attempt_at" timestamp(6) with time zone,
	"lease_until" timestamp(6) with time zone,
	"lease_owner" uuid,
	"was_abandoned" boolean DEFAULT false NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" uuid NOT NULL,
	"endpoint" text NOT NULL,
	"events" text[] NOT NULL,
	"status" text DEFAULT 'enabled' NOT NULL,
	"sealed_secret" text NOT NULL,
	"is_test" boolean DEFAULT false NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp(6) with time zone,
	"noticed_at" timestamp(6) with time zone,
	"disabled_for_failures_at" timestamp(6) with time zone,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_secret_hash_key" ON "api_keys" USING btree ("secret_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "admins_email_key" ON "admins" USING btree ("email","company_id");--> statement-breakpoint
CREATE UNIQUE INDEX "dkim_keys_domain_selector_key" ON "dkim_keys" USING btree ("domain_id","selector");--> statement-breakpoint
CREATE UNIQUE INDEX "dkim_keys_domain_active_key" ON "dkim_keys" USING btree ("domain_id","algorithm") WHERE "dkim_keys"."state" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "dkim_keys_domain_next_key" ON "dkim_keys" USING btree ("domain_id","algorithm") WHERE "dkim_keys"."state" = 'next';--> statement-breakpoint
CREATE UNIQUE INDEX "domains_company_name_key" ON "domains" USING btree ("company_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "domains_proven_name_key" ON "domains" USING btree ("name") WHERE "domains"."ownership_proven_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "suppressions_company_email_key" ON "suppressions" USING btree ("company_id","email");--> statement-breakpoint
CREATE UNIQUE INDEX "audit_entries_sequence_key" ON "audit_entries" USING btree ("company_id","sequence");--> statement-breakpoint
CREATE UNIQUE INDEX "app_passwords_secret_hash_key" ON "app_passwords" USING btree ("mailbox","secret_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "forward_confirmations_mailbox_target_key" ON "forward_confirmations" USING btree ("mailbox","target");--> statement-breakpoint
CREATE UNIQUE INDEX "mailboxes_store_key" ON "mailboxes" USING btree ("store");--> statement-breakpoint
CREATE UNIQUE INDEX "alarms_raised_key" ON "alarms" USING btree ("name") WHERE "alarms"."cleared_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "plans_name_key" ON "plans" USING btree (lower("name"));--> statement-breakpoint
CREATE UNIQUE INDEX "queue_holds_subject_key" ON "queue_holds" USING btree ("kind","subject");--> statement-breakpoint
CREATE UNIQUE INDEX "org_units_root_key" ON "org_units" USING btree ("company_id") WHERE "org_units"."parent_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_email_key" ON "invitations" USING btree ("company_id","email");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_copied_token_hash_key" ON "invitations" USING btree ("copied_token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "dmarc_reports_once_key" ON "dmarc_reports" USING btree ("domain_id","org_name","report_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tls_reports_once_key" ON "tls_reports" USING btree ("domain_id","org_name","report_id");--> statement-breakpoint
CREATE UNIQUE INDEX "admin_identities_admin_key" ON "admin_identities" USING btree ("admin_id");--> statement-breakpoint
CREATE UNIQUE INDEX "identity_providers_company_key" ON "identity_providers" USING btree ("company_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mailbox_identities_mailbox_key" ON "mailbox_identities" USING btree ("mailbox");--> statement-breakpoint
CREATE UNIQUE INDEX "template_versions_number_key" ON "template_versions" USING btree ("template_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "templates_alias_key" ON "templates" USING btree ("company_id","alias");--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "aliases" ADD CONSTRAINT "aliases_address_addresses_address_fk" FOREIGN KEY ("address") REFERENCES "public"."addresses"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "aliases" ADD CONSTRAINT "aliases_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_creator_id_admins_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."admins"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admins" ADD CONSTRAINT "admins_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admins" ADD CONSTRAINT "admins_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "companies" ADD CONSTRAINT "companies_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_admins_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."admins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_provider_id_identity_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_items" ADD CONSTRAINT "deleted_items_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_items" ADD CONSTRAINT "deleted_items_store_host_mail_hosts_name_fk" FOREIGN KEY ("store_host") REFERENCES "public"."mail_hosts"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dkim_keys" ADD CONSTRAINT "dkim_keys_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domain_claims" ADD CONSTRAINT "domain_claims_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domain_findings" ADD CONSTRAINT "domain_findings_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domains" ADD CONSTRAINT "domains_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_attachments" ADD CONSTRAINT "email_attachments_email_id_emails_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_bodies" ADD CONSTRAINT "email_bodies_email_id_emails_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_events" ADD CONSTRAINT "email_events_email_id_emails_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "emails" ADD CONSTRAINT "emails_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "emails" ADD CONSTRAINT "emails_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "suppressions" ADD CONSTRAINT "suppressions_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failing_members" ADD CONSTRAINT "failing_members_group_address_groups_address_fk" FOREIGN KEY ("group_address") REFERENCES "public"."groups"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failing_members" ADD CONSTRAINT "failing_members_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_address_groups_address_fk" FOREIGN KEY ("group_address") REFERENCES "public"."groups"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_units" ADD CONSTRAINT "group_units_group_address_groups_address_fk" FOREIGN KEY ("group_address") REFERENCES "public"."groups"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_units" ADD CONSTRAINT "group_units_org_unit_id_org_units_id_fk" FOREIGN KEY ("org_unit_id") REFERENCES "public"."org_units"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_address_addresses_address_fk" FOREIGN KEY ("address") REFERENCES "public"."addresses"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_seals" ADD CONSTRAINT "audit_seals_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "company_traffic" ADD CONSTRAINT "company_traffic_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "large_bodies" ADD CONSTRAINT "large_bodies_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "request_bodies" ADD CONSTRAINT "request_bodies_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "request_log" ADD CONSTRAINT "request_log_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_import_batches" ADD CONSTRAINT "mail_import_batches_folder_id_mail_import_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."mail_import_folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_import_errors" ADD CONSTRAINT "mail_import_errors_folder_id_mail_import_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."mail_import_folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_import_folders" ADD CONSTRAINT "mail_import_folders_import_id_mail_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."mail_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_imports" ADD CONSTRAINT "mail_imports_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_imports" ADD CONSTRAINT "mail_imports_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "app_passwords" ADD CONSTRAINT "app_passwords_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "forward_confirmations" ADD CONSTRAINT "forward_confirmations_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "forward_suspensions" ADD CONSTRAINT "forward_suspensions_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "mailbox_contacts" ADD CONSTRAINT "mailbox_contacts_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "mailbox_passkeys" ADD CONSTRAINT "mailbox_passkeys_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "mailbox_recovery_codes" ADD CONSTRAINT "mailbox_recovery_codes_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "mailbox_rules" ADD CONSTRAINT "mailbox_rules_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "mailbox_sessions" ADD CONSTRAINT "mailbox_sessions_user_id_mailboxes_address_fk" FOREIGN KEY ("user_id") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "mailbox_sessions" ADD CONSTRAINT "mailbox_sessions_provider_id_identity_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_shares" ADD CONSTRAINT "mailbox_shares_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "mailbox_shares" ADD CONSTRAINT "mailbox_shares_member_addresses_address_fk" FOREIGN KEY ("member") REFERENCES "public"."addresses"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_import_lines" ADD CONSTRAINT "mailbox_import_lines_import_id_mailbox_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."mailbox_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_imports" ADD CONSTRAINT "mailbox_imports_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_imports" ADD CONSTRAINT "mailbox_imports_admin_id_admins_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."admins"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "full_mailboxes" ADD CONSTRAINT "full_mailboxes_address_mailboxes_address_fk" FOREIGN KEY ("address") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "full_mailboxes" ADD CONSTRAINT "full_mailboxes_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_moves" ADD CONSTRAINT "mailbox_moves_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "mailbox_moves" ADD CONSTRAINT "mailbox_moves_from_host_mail_hosts_name_fk" FOREIGN KEY ("from_host") REFERENCES "public"."mail_hosts"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_moves" ADD CONSTRAINT "mailbox_moves_to_host_mail_hosts_name_fk" FOREIGN KEY ("to_host") REFERENCES "public"."mail_hosts"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_address_addresses_address_fk" FOREIGN KEY ("address") REFERENCES "public"."addresses"("address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_org_unit_id_org_units_id_fk" FOREIGN KEY ("org_unit_id") REFERENCES "public"."org_units"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_store_host_mail_hosts_name_fk" FOREIGN KEY ("store_host") REFERENCES "public"."mail_hosts"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "removed_stores" ADD CONSTRAINT "removed_stores_store_host_mail_hosts_name_fk" FOREIGN KEY ("store_host") REFERENCES "public"."mail_hosts"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_contents" ADD CONSTRAINT "message_contents_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_delays" ADD CONSTRAINT "message_delays_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_recipients" ADD CONSTRAINT "message_recipients_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantine" ADD CONSTRAINT "quarantine_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantine" ADD CONSTRAINT "quarantine_released_as_messages_id_fk" FOREIGN KEY ("released_as") REFERENCES "public"."messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantine_contents" ADD CONSTRAINT "quarantine_contents_quarantine_id_quarantine_id_fk" FOREIGN KEY ("quarantine_id") REFERENCES "public"."quarantine"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_posts" ADD CONSTRAINT "notice_posts_settings_id_notification_settings_id_fk" FOREIGN KEY ("settings_id") REFERENCES "public"."notification_settings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_admin_fk" FOREIGN KEY ("email","company_id") REFERENCES "public"."admins"("email","company_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "quarantine_digests" ADD CONSTRAINT "quarantine_digests_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "org_units" ADD CONSTRAINT "org_units_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "org_units" ADD CONSTRAINT "org_units_parent_id_org_units_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."org_units"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_email_id_emails_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admin_roles" ADD CONSTRAINT "admin_roles_admin_id_admins_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."admins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admin_roles" ADD CONSTRAINT "admin_roles_role_id_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."roles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "preferences" ADD CONSTRAINT "preferences_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "roles_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "roles_org_unit_id_org_units_id_fk" FOREIGN KEY ("org_unit_id") REFERENCES "public"."org_units"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_steps" ADD CONSTRAINT "sign_in_steps_email_people_email_fk" FOREIGN KEY ("email") REFERENCES "public"."people"("email") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "sign_in_steps" ADD CONSTRAINT "sign_in_steps_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "sign_in_steps" ADD CONSTRAINT "sign_in_steps_provider_id_identity_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "received_attachments" ADD CONSTRAINT "received_attachments_email_id_received_emails_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."received_emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "received_contents" ADD CONSTRAINT "received_contents_email_id_received_emails_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."received_emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "received_emails" ADD CONSTRAINT "received_emails_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dmarc_reports" ADD CONSTRAINT "dmarc_reports_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dmarc_sources" ADD CONSTRAINT "dmarc_sources_report_id_dmarc_reports_id_fk" FOREIGN KEY ("report_id") REFERENCES "public"."dmarc_reports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tls_reports" ADD CONSTRAINT "tls_reports_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admin_identities" ADD CONSTRAINT "admin_identities_provider_id_identity_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admin_identities" ADD CONSTRAINT "admin_identities_admin_id_admins_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."admins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_identities" ADD CONSTRAINT "mailbox_identities_provider_id_identity_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_identities" ADD CONSTRAINT "mailbox_identities_mailbox_mailboxes_address_fk" FOREIGN KEY ("mailbox") REFERENCES "public"."mailboxes"("address") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "template_versions" ADD CONSTRAINT "template_versions_template_id_templates_id_fk" FOREIGN KEY ("template_id") REFERENCES "public"."templates"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "templates" ADD CONSTRAINT "templates_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "addresses_company_idx" ON "addresses" USING btree ("company_id","kind","address");--> statement-breakpoint
CREATE INDEX "addresses_domain_idx" ON "addresses" USING btree ("domain_id","kind","address");--> statement-breakpoint
CREATE INDEX "aliases_mailbox_idx" ON "aliases" USING btree ("mailbox","address");--> statement-breakpoint
CREATE INDEX "api_keys_company_newest_idx" ON "api_keys" USING btree ("company_id","created_at","id") WHERE "api_keys"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "api_keys_company_revoked_idx" ON "api_keys" USING btree ("company_id","created_at","id") WHERE "api_keys"."revoked_at" is not null;--> statement-breakpoint
CREATE INDEX "api_keys_creator_idx" ON "api_keys" USING btree ("creator_id");--> statement-breakpoint
CREATE INDEX "acme_challenges_name_idx" ON "acme_challenges" USING btree ("name");--> statement-breakpoint
CREATE INDEX "certificates_due_idx" ON "certificates" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "certificates_issued_idx" ON "certificates" USING btree ("issued_at");--> statement-breakpoint
CREATE INDEX "admins_company_idx" ON "admins" USING btree ("company_id","email");--> statement-breakpoint
CREATE INDEX "companies_newest_idx" ON "companies" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "sessions_user_idx" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "deleted_items_company_newest_idx" ON "deleted_items" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deleted_items_domain_idx" ON "deleted_items" USING btree ("domain_id");--> statement-breakpoint
CREATE INDEX "deleted_items_addresses_idx" ON "deleted_items" USING gin ("addresses");--> statement-breakpoint
CREATE INDEX "deleted_items_name_idx" ON "deleted_items" USING btree ("name");--> statement-breakpoint
CREATE INDEX "deleted_items_oldest_idx" ON "deleted_items" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "dkim_keys_active_idx" ON "dkim_keys" USING btree ("created_at") WHERE "dkim_keys"."state" = 'active';--> statement-breakpoint
CREATE INDEX "domains_company_newest_idx" ON "domains" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "domains_checked_idx" ON "domains" USING btree ("checked_at");--> statement-breakpoint
CREATE INDEX "email_bodies_oldest_idx" ON "email_bodies" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "email_events_email_idx" ON "email_events" USING btree ("email_id","id");--> statement-breakpoint
CREATE INDEX "email_events_company_idx" ON "email_events" USING btree ("company_id","id") WHERE "email_events"."type" in ('delivered', 'delivery_delayed', 'bounced', 'failed', 'suppressed');--> statement-breakpoint
CREATE INDEX "email_events_tracked_idx" ON "email_events" USING btree ("email_id","type","created_at") WHERE "email_events"."type" in ('opened', 'clicked');--> statement-breakpoint
CREATE INDEX "emails_company_newest_idx" ON "emails" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "emails_metrics_idx" ON "emails" USING btree ("company_id","placed_at","domain_id","event_types");--> statement-breakpoint
CREATE INDEX "emails_test_newest_idx" ON "emails" USING btree ("company_id","created_at","id") WHERE "emails"."is_test";--> statement-breakpoint
CREATE INDEX "emails_due_idx" ON "emails" USING btree ("due_at","id") WHERE "emails"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "emails_key_due_idx" ON "emails" USING btree ("api_key_id") WHERE "emails"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "suppressions_company_newest_idx" ON "suppressions" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "failing_members_company_idx" ON "failing_members" USING btree ("company_id","noticed_at");--> statement-breakpoint
CREATE INDEX "group_members_member_idx" ON "group_members" USING btree ("member");--> statement-breakpoint
CREATE INDEX "group_units_unit_idx" ON "group_units" USING btree ("org_unit_id");--> statement-breakpoint
CREATE INDEX "groups_company_idx" ON "groups" USING btree ("company_id","address");--> statement-breakpoint
CREATE INDEX "audit_entries_company_newest_idx" ON "audit_entries" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_oldest_idx" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "request_bodies_company_idx" ON "request_bodies" USING btree ("company_id");--> statement-breakpoint
CREATE INDEX "request_log_company_newest_idx" ON "request_log" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "request_log_api_newest_idx" ON "request_log" USING btree ("company_id","created_at","id") WHERE "request_log"."error" is distinct from 'ip_not_allowed';--> statement-breakpoint
CREATE INDEX "request_log_oldest_idx" ON "request_log" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "request_log_blocked_idx" ON "request_log" USING btree ("api_key_id","created_at") WHERE "request_log"."error" = 'ip_not_allowed';--> statement-breakpoint
CREATE INDEX "sign_in_attempts_email_idx" ON "sign_in_attempts" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_source_idx" ON "sign_in_attempts" USING btree ("source","created_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_check_key_idx" ON "sign_in_attempts" USING btree ("check_key") WHERE "sign_in_attempts"."check_key" is not null;--> statement-breakpoint
CREATE INDEX "sign_in_attempts_oldest_idx" ON "sign_in_attempts" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "mail_imports_company_idx" ON "mail_imports" USING btree ("company_id","created_at");--> statement-breakpoint
CREATE INDEX "mail_imports_due_idx" ON "mail_imports" USING btree ("next_attempt_at") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "app_passwords_mailbox_idx" ON "app_passwords" USING btree ("mailbox","created_at");--> statement-breakpoint
CREATE INDEX "forward_confirmations_target_idx" ON "forward_confirmations" USING btree ("target");--> statement-breakpoint
CREATE INDEX "mailbox_passkeys_mailbox_idx" ON "mailbox_passkeys" USING btree ("mailbox","created_at");--> statement-breakpoint
CREATE INDEX "mailbox_sessions_user_idx" ON "mailbox_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mailbox_shares_member_idx" ON "mailbox_shares" USING btree ("member");--> statement-breakpoint
CREATE INDEX "mailbox_import_lines_waiting_idx" ON "mailbox_import_lines" USING btree ("import_id","position") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "mailbox_import_lines_password_idx" ON "mailbox_import_lines" USING btree ("import_id") WHERE sealed_password is not null;--> statement-breakpoint
CREATE INDEX "mailbox_imports_company_idx" ON "mailbox_imports" USING btree ("company_id","created_at");--> statement-breakpoint
CREATE INDEX "mailbox_imports_admin_idx" ON "mailbox_imports" USING btree ("admin_id");--> statement-breakpoint
CREATE INDEX "full_mailboxes_company_idx" ON "full_mailboxes" USING btree ("company_id");--> statement-breakpoint
CREATE INDEX "mailboxes_company_idx" ON "mailboxes" USING btree ("company_id","address");--> statement-breakpoint
CREATE INDEX "mailboxes_unit_idx" ON "mailboxes" USING btree ("org_unit_id");--> statement-breakpoint
CREATE INDEX "mailboxes_store_host_idx" ON "mailboxes" USING btree ("store_host");--> statement-breakpoint
CREATE INDEX "greylist_oldest_idx" ON "greylist" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "message_delays_message_idx" ON "message_delays" USING btree ("message_id","id");--> statement-breakpoint
CREATE INDEX "message_delays_company_idx" ON "message_delays" USING btree ("company_id","id");--> statement-breakpoint
CREATE INDEX "message_recipients_due_idx" ON "message_recipients" USING btree ("next_attempt_at","id") WHERE "message_recipients"."state" = 'queued' and "message_recipients"."lease_until" is null;--> statement-breakpoint
CREATE INDEX "message_recipients_turns_idx" ON "message_recipients" USING btree ("company_id","next_attempt_at","id") WHERE "message_recipients"."state" = 'queued' and "message_recipients"."lease_until" is null;--> statement-breakpoint
CREATE INDEX "message_recipients_leased_idx" ON "message_recipients" USING btree ("lease_until") WHERE "message_recipients"."lease_until" is not null;--> statement-breakpoint
CREATE INDEX "message_recipients_held_idx" ON "message_recipients" USING btree ("message_id") WHERE "message_recipients"."state" = 'held';--> statement-breakpoint
CREATE INDEX "message_recipients_message_idx" ON "message_recipients" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "message_recipients_settled_idx" ON "message_recipients" USING btree ("settled_at","id") WHERE "message_recipients"."settled_at" is not null;--> statement-breakpoint
CREATE INDEX "message_recipients_company_settled_idx" ON "message_recipients" USING btree ("company_id","settled_at","id") WHERE "message_recipients"."settled_at" is not null;--> statement-breakpoint
CREATE INDEX "messages_company_newest_idx" ON "messages" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "messages_mailbox_idx" ON "messages" USING btree ("mailbox","created_at");--> statement-breakpoint
CREATE INDEX "messages_oldest_idx" ON "messages" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_group_idx" ON "messages" USING btree ("group_address","created_at") WHERE "messages"."group_address" is not null;--> statement-breakpoint
CREATE INDEX "messages_distribution_idx" ON "messages" USING btree ("distribution_id") WHERE "messages"."distribution_id" is not null;--> statement-breakpoint
CREATE INDEX "quarantine_released_idx" ON "quarantine" USING btree ("released_as") WHERE "quarantine"."released_as" is not null;--> statement-breakpoint
CREATE INDEX "quarantine_company_newest_idx" ON "quarantine" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "quarantine_oldest_idx" ON "quarantine" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "quarantine_recipients_idx" ON "quarantine" USING gin ("recipients");--> statement-breakpoint
CREATE INDEX "notice_posts_settings_idx" ON "notice_posts" USING btree ("settings_id","created_at");--> statement-breakpoint
CREATE INDEX "quarantine_digests_company_idx" ON "quarantine_digests" USING btree ("company_id");--> statement-breakpoint
CREATE INDEX "alarm_messages_due_idx" ON "alarm_messages" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "alarms_newest_idx" ON "alarms" USING btree ("raised_at");--> statement-breakpoint
CREATE INDEX "backups_started_at_idx" ON "backups" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "mail_log_oldest_idx" ON "mail_log" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "mail_log_company_idx" ON "mail_log" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "org_units_company_idx" ON "org_units" USING btree ("company_id","id");--> statement-breakpoint
CREATE INDEX "org_units_parent_idx" ON "org_units" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "outbox_due_idx" ON "outbox" USING btree ("next_attempt_at","id") WHERE "outbox"."lease_until" is null;--> statement-breakpoint
CREATE INDEX "outbox_turns_idx" ON "outbox" USING btree ("company_id","priority","next_attempt_at","id") WHERE "outbox"."lease_until" is null;--> statement-breakpoint
CREATE INDEX "outbox_leased_idx" ON "outbox" USING btree ("lease_until") WHERE "outbox"."lease_until" is not null;--> statement-breakpoint
CREATE INDEX "outbox_email_idx" ON "outbox" USING btree ("email_id");--> statement-breakpoint
CREATE INDEX "passkeys_email_idx" ON "passkeys" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "roles_company_idx" ON "roles" USING btree ("company_id","name");--> statement-breakpoint
CREATE INDEX "sign_in_steps_expiry_idx" ON "sign_in_steps" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_in_steps_person_idx" ON "sign_in_steps" USING btree ("email");--> statement-breakpoint
CREATE INDEX "sign_in_steps_mailbox_idx" ON "sign_in_steps" USING btree ("mailbox");--> statement-breakpoint
CREATE INDEX "received_emails_company_parsed_idx" ON "received_emails" USING btree ("company_id","parsed_at","id") WHERE "received_emails"."parsed_at" is not null;--> statement-breakpoint
CREATE INDEX "received_emails_usage_idx" ON "received_emails" USING btree ("company_id","created_at","size");--> statement-breakpoint
CREATE INDEX "received_emails_oldest_idx" ON "received_emails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "dmarc_reports_domain_period_idx" ON "dmarc_reports" USING btree ("domain_id","period_end");--> statement-breakpoint
CREATE INDEX "dmarc_reports_oldest_idx" ON "dmarc_reports" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "dmarc_sources_report_idx" ON "dmarc_sources" USING btree ("report_id");--> statement-breakpoint
CREATE INDEX "tls_reports_domain_period_idx" ON "tls_reports" USING btree ("domain_id","period_end");--> statement-breakpoint
CREATE INDEX "tls_reports_oldest_idx" ON "tls_reports" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "templates_company_newest_idx" ON "templates" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_events_newest_idx" ON "webhook_events" USING btree ("webhook_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_events_due_idx" ON "webhook_events" USING btree ("webhook_id","next_attempt_at","id") WHERE "webhook_events"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_events_waiting_tests_idx" ON "webhook_events" USING btree ("webhook_id") WHERE "webhook_events"."is_test" and "webhook_events"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_events_failed_idx" ON "webhook_events" USING btree ("webhook_id","created_at","id") WHERE "webhook_events"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "webhook_events_oldest_idx" ON "webhook_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhooks_company_newest_idx" ON "webhooks" USING btree ("company_id","created_at","id");--> statement-breakpoint
CREATE VIEW "public"."mailbox_viewers" AS (
  select v.address as viewer, s.mailbox,
    bool_or(s.access = 'write') as can_write, bool_or(s.send_as) as can_send_as,
    bool_and(m.store_host is not distinct from v.store_host) as is_near
  from mailboxes v cross join lateral (
      with recursive up as (
        (select v.address union all select l.address from aliases l where l.mailbox = v.address and l.active
          union all select g.address from groups g where g.active and g.address in (
  with recursive above as (
    select id, parent_id from org_units where id = v.org_unit_id
    union all select u.id, u.parent_id from org_units u join above on u.id = above.parent_id
  )
  select gu.group_address from above join group_units gu on gu.org_unit_id = above.id))
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
CREATE VIEW "public"."mailbox_policies" AS (
  select m.address,
    coalesce(p.imap_allowed, true) as imap_allowed,
    coalesce(p.pop3_allowed, true) as pop3_allowed,
    coalesce(p.submission_allowed, true) as submission_allowed,
    coalesce(p.calendar_allowed, true) as calendar_allowed,
    coalesce(p.outside_allowed, true) as outside_allowed,
    case when p.outside_allowed is false then 'forbidden'
      else coalesce(p.forwarding, 'confirmed') end as forwarding,
    coalesce(p.app_passwords_allowed, true) as app_passwords_allowed,
    coalesce(p.password_length_min, 12) as password_length_min,
    coalesce(p.quarantine_digest, 'off') as quarantine_digest,
    coalesce(p.quarantine_release, 'none') as quarantine_release,
    case when exists (select from settings where name = 'full_text_search' and value = '"on"')
      then coalesce(p.full_text_search, 'on') else 'off' end as full_text_search
  from mailboxes m cross join lateral (
    with recursive up as (
      select u.*, 0 as height from org_units u where u.id = m.org_unit_id
      union all
      select u.*, up.height + 1 from org_units u join up on u.id = up.parent_id
    )
    select
      (array_agg(imap_allowed order by height) filter (where imap_allowed is not null))[1] as imap_allowed,
      (array_agg(pop3_allowed order by height) filter (where pop3_allowed is not null))[1] as pop3_allowed,
      (array_agg(submission_allowed order by height) filter (where submission_allowed is not null))[1] as submission_allowed,
      (array_agg(calendar_allowed order by height) filter (where calendar_allowed is not null))[1] as calendar_allowed,
      (array_agg(outside_allowed order by height) filter (where outside_allowed is not null))[1] as outside_allowed,
      (array_agg(forwarding order by height) filter (where forwarding is not null))[1] as forwarding,
      (array_agg(app_passwords_allowed order by height) filter (where app_passwords_allowed is not null))[1] as app_passwords_allowed,
      (array_agg(password_length_min order by height) filter (where password_length_min is not null))[1] as password_length_min,
      (array_agg(quarantine_digest order by height) filter (where quarantine_digest is not null))[1] as quarantine_digest,
      (array_agg(quarantine_release order by height) filter (where quarantine_release is not null))[1] as quarantine_release,
      (array_agg(full_text_search order by height) filter (where full_text_search is not null))[1] as full_text_search
    from up
  ) p);--> statement-breakpoint
-- By hand, like everything below: counters that may start over after a crash, and the state of running processes.
ALTER TABLE "company_traffic" SET UNLOGGED;--> statement-breakpoint
ALTER TABLE "large_bodies" SET UNLOGGED;--> statement-breakpoint
ALTER TABLE "request_bodies" SET UNLOGGED;--> statement-breakpoint
ALTER TABLE "processes" SET UNLOGGED;--> statement-breakpoint
ALTER TABLE "metric_totals" SET UNLOGGED;--> statement-breakpoint
-- Queues turn over completely, so dead rows matter, not their share of a table that is large only after a backlog. The
-- outbox has no history, so it is vacuumed without pauses, in milliseconds.
ALTER TABLE "outbox" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 2000);--> statement-breakpoint
ALTER TABLE "emails" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "message_recipients" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
ALTER TABLE "webhook_events" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
-- A few rows that are updated all the time: by default they would be vacuumed after 50 updates at the earliest, once a
-- minute at most, and grow in between.
ALTER TABLE "sending_totals" SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);--> statement-breakpoint
ALTER TABLE "company_traffic" SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);--> statement-breakpoint
-- Always empty. Dovecot writes the rights of shared folders to it, which follow from mailbox_shares.
CREATE VIEW "public"."ignored_shares" AS (select ''::text as viewer, ''::text as mailbox, ''::text as can_write where false);--> statement-breakpoint
CREATE RULE "ignored_shares_insert" AS ON INSERT TO "public"."ignored_shares" DO INSTEAD NOTHING;--> statement-breakpoint
CREATE RULE "ignored_shares_delete" AS ON DELETE TO "public"."ignored_shares" DO INSTEAD NOTHING;
