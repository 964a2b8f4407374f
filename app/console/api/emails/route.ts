import { listEmails } from "#server/console/emails/list-emails.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listEmails);
