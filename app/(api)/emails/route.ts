import { listEmails } from "#server/api/emails/list-emails.ts";
import { sendEmail } from "#server/api/emails/send-email.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listEmails, sendEmail);
