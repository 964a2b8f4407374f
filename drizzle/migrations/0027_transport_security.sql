CREATE TABLE "dmarc_counts" (
	"day" date NOT NULL,
	"domain" text NOT NULL,
	"source_ip" text NOT NULL,
	"result" text NOT NULL,
	"messages" integer NOT NULL,
	CONSTRAINT "dmarc_counts_pkey" PRIMARY KEY("day","domain","source_ip","result")
);
--> statement-breakpoint
CREATE TABLE "tls_session_counts" (
	"day" date NOT NULL,
	"domain" text NOT NULL,
	"policy" text NOT NULL,
	"host" text NOT NULL,
	"failure" text NOT NULL,
	"sessions" integer NOT NULL,
	CONSTRAINT "tls_session_counts_pkey" PRIMARY KEY("day","domain","policy","host","failure")
);
--> statement-breakpoint
ALTER TABLE "email_events" ADD COLUMN "tls" text;--> statement-breakpoint
ALTER TABLE "message_delays" ADD COLUMN "tls" text;--> statement-breakpoint
ALTER TABLE "message_recipients" ADD COLUMN "tls" text;