ALTER TABLE "emails" ADD COLUMN "sent_by_admin_id" uuid;--> statement-breakpoint
-- By hand: until now, only the audit log knew who sent an email from the console. Reads the audit log once, and
-- looks up each email by its primary key.
UPDATE "emails" e SET "sent_by_admin_id" = s."admin_id"
FROM (
  SELECT "company_id", "created_at",
    CASE WHEN "details" ->> 'email' ~ '^[0-9a-f-]{36}$' THEN ("details" ->> 'email')::uuid END AS "email_id",
    CASE WHEN "details" ->> 'adminId' ~ '^[0-9a-f-]{36}$' THEN ("details" ->> 'adminId')::uuid END AS "admin_id"
  FROM "audit_entries" WHERE "action" = 'email.sent'
) s
WHERE e."id" = s."email_id" AND e."company_id" = s."company_id" AND e."api_key_id" IS NULL
  AND e."created_at" BETWEEN s."created_at" - interval '1 minute' AND s."created_at" + interval '1 minute';
