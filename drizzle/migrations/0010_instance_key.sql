CREATE TABLE "instance" (
	"is_only_row" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"key_fingerprint" text NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "instance_one_row" CHECK ("instance"."is_only_row")
);
