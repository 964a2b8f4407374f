ALTER TABLE "tls_session_counts" ADD COLUMN "sending_ip" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tls_session_counts" ADD COLUMN "receiving_ip" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tls_session_counts" ADD COLUMN "records" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tls_session_counts" DROP CONSTRAINT "tls_session_counts_pkey";
--> statement-breakpoint
ALTER TABLE "tls_session_counts" ADD CONSTRAINT "tls_session_counts_pkey" PRIMARY KEY("day","domain","policy","host","failure","sending_ip","receiving_ip");