CREATE TABLE "delivery_blocks" (
	"destination" text PRIMARY KEY NOT NULL,
	"host" text,
	"reply" text NOT NULL,
	"first_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_seen_at" timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
