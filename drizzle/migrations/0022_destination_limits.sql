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
